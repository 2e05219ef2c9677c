namespace CoAP.NET.Cli;

/// <summary>What the tool ends with. Scripts depend on these numbers: they never change their meaning, new ones may come.</summary>
internal static class ExitCodes
{
    /// <summary>A response of class 2.xx, or whatever else was asked for.</summary>
    public const int Success = 0;

    /// <summary>An error that is none of the others: a mistake of the tool.</summary>
    public const int Failure = 1;

    /// <summary>The command line is wrong; nothing was sent.</summary>
    public const int Usage = 2;

    /// <summary>No answer in time.</summary>
    public const int Timeout = 3;

    /// <summary>A response of class 4.xx: the request was wrong.</summary>
    public const int ClientError = 4;

    /// <summary>A response of class 5.xx: the server failed.</summary>
    public const int ServerError = 5;

    /// <summary>The peer could not be reached: name, route, port, connection or TLS handshake.</summary>
    public const int Network = 6;

    /// <summary>The peer rejected the message by a Reset, or what it sent breaks the protocol.</summary>
    public const int Protocol = 7;

    /// <summary>A local file could not be read or written.</summary>
    public const int File = 8;

    /// <summary>Ended by Ctrl-C or SIGTERM.</summary>
    public const int Cancelled = 130;

    /// <summary>The reader of the output has gone, as in <c>coap observe URI | head -1</c>: what other tools end with by SIGPIPE.</summary>
    public const int ReaderGone = 141;

    /// <summary>The exit code that a response leads to.</summary>
    /// <param name="code">The response code.</param>
    public static int Of(CoapCode code) => code.Class switch
    {
        4 => ClientError,
        5 => ServerError,
        _ => Success,
    };
}
