namespace CoAP.NET.Cli;

/// <summary>The exit codes of the tool. Scripts depend on these numbers: they never change their meaning, and new ones may come.</summary>
internal static class ExitCodes
{
    /// <summary>A response of class 2.xx, or another successful result.</summary>
    public const int Success = 0;

    /// <summary>Any other error: a fault of the tool.</summary>
    public const int Failure = 1;

    /// <summary>The command line is wrong; the command sent nothing.</summary>
    public const int Usage = 2;

    /// <summary>No answer in time.</summary>
    public const int Timeout = 3;

    /// <summary>A response of class 4.xx: the request was wrong.</summary>
    public const int ClientError = 4;

    /// <summary>A response of class 5.xx: the server failed.</summary>
    public const int ServerError = 5;

    /// <summary>The peer is not reachable: name, route, port, connection or TLS handshake.</summary>
    public const int Network = 6;

    /// <summary>The peer rejected the message with a Reset, or its message violates the protocol.</summary>
    public const int Protocol = 7;

    /// <summary>A local file is not readable or writable.</summary>
    public const int File = 8;

    /// <summary>Ended by Ctrl-C or SIGTERM.</summary>
    public const int Cancelled = 130;

    /// <summary>
    /// The reader of the output has gone, as in <c>coap observe URI | head -1</c>: the same code as of other tools that SIGPIPE ends.
    /// </summary>
    public const int ReaderGone = 141;

    /// <summary>The codes with their meanings, for the manual page; <c>docs/cli.md</c> has the same.</summary>
    public static IReadOnlyList<(int Code, string Meaning)> Meanings { get; } =
    [
        (Success, "a response of class 2.xx, or another success of the command"),
        (Failure, "a defect of the tool"),
        (Usage, "the command line is wrong or empty; nothing was sent"),
        (Timeout, "no response in time"),
        (ClientError, "a response of class 4.xx, or a pause after 4.29"),
        (ServerError, "a response of class 5.xx"),
        (Network, "the peer could not be reached: name, route, port, connection, handshake"),
        (Protocol, "a Reset, or a violation of the protocol"),
        (File, "a local file could not be read or written"),
        (Cancelled, "ended by Ctrl-C or SIGTERM"),
        (ReaderGone, "the reader of the output has closed it"),
    ];

    public static int Of(CoapCode code) => code.Class switch
    {
        4 => ClientError,
        5 => ServerError,
        _ => Success,
    };
}
