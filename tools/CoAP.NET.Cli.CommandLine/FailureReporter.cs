using System.CommandLine;
using System.Globalization;
using System.Net.Sockets;
using System.Security.Cryptography;
using CoAP.NET.Dtls;
using CoAP.NET.Edhoc;
using CoAP.NET.Errors;
using CoAP.NET.Oscore;
using Spectre.Console;

namespace CoAP.NET.Cli;

/// <summary>Reports failures as one sentence with a hint on the error stream and an exit code.</summary>
internal static class FailureReporter
{
    private const string DefaultPorts =
        "The default port is 5683 for coap and coap+tcp, 5684 for coaps and coaps+tcp, 80 for coap+ws, 443 for coaps+ws.";

    // EPIPE, which .NET passes on unmodified.
    private const int BrokenPipe = 32;

    /// <summary>Reports a failure.</summary>
    /// <returns>The exit code.</returns>
    public static int Report(CliContext context, ParseResult parse, Exception exception)
    {
        (int code, string? hint) = Judge(exception);
        if (code == ExitCodes.ReaderGone)
        {
            return code;
        }

        if (code == ExitCodes.Usage && hint is null)
        {
            hint = $"{CommandLineErrors.PathOf(parse.CommandResult.Command)} --help lists the options.";
        }

        string message = exception switch
        {
            _ when code == ExitCodes.Cancelled => "Interrupted.",
            CoapException { Error: CoapError.RetryLater } =>
                $"{TargetArgument.TextOf(parse) ?? "The server"} asked clients to wait (4.29 Too Many Requests), so the command sent "
                    + "nothing.",
            _ => exception.Message,
        };
        Write(context, message, hint);
        return code;
    }

    /// <summary>Writes one sentence and a hint to the error stream.</summary>
    public static void Write(CliContext context, string message, string? hint = null)
    {
        context.Error.MarkupLine($"[red]{context.Program}:[/] {Markup.Escape(message)}");
        if (hint is not null)
        {
            context.Error.MarkupLine($"[grey]hint: {Markup.Escape(hint)}[/]");
        }
    }

    /// <summary>Returns the exit code of an exception, and a hint.</summary>
    public static (int Code, string? Hint) Judge(Exception exception) => exception switch
    {
        UsageException usage => (ExitCodes.Usage, usage.Hint),
        OperationCanceledException => (ExitCodes.Cancelled, null),
        CoapTimeoutException timeout => (ExitCodes.Timeout, HintFor(timeout)),
        CoapResponseException response => (ExitCodes.Of(response.Response.Code), null),
        CoapException { Error: CoapError.RetryLater, RetryAfter: { } wait } => (ExitCodes.ClientError, HintFor(wait)),
        CoapException { Error: CoapError.Reset } =>
            (ExitCodes.Protocol, "The peer does not understand the request or forgot its state; -vv shows the messages."),
        CoapProtocolException => (ExitCodes.Protocol, "-vv shows the messages and explains them."),
        CoapException { Error: CoapError.Unreachable } => (ExitCodes.Network, DefaultPorts),
        CoapConnectionException or CoapDtlsException
            when DtlsOf(exception) is { Reason: not CoapDtlsHandshakeFailure.NotAvailable } dtls =>
                (ExitCodes.Network, HintFor(dtls.Reason)),
        CoapConnectionException { Error: CoapError.HandshakeFailed } =>
            (ExitCodes.Network, "--ca FILE trusts the authority of the server's certificate, --insecure trusts any server."),
        CoapCredentialException or OscoreStoreException =>
            (ExitCodes.File, null),
        EdhocException edhoc => (ExitCodes.Network, HintFor(edhoc)),
        CoapUnprotectedResponseException { UnprotectedDiagnostic: "Replay detected" } => (ExitCodes.Network,
            "A server looks at the number of a request before its keys, so a wrong secret with a number that it has seen is a replay too. "
                + "Compare the secret and the IDs first. If they are right, the stored numbers beside the file are too old: agree on a new "
                + "context."),
        CoapException { Error: CoapError.TooLarge } => (ExitCodes.Usage, "Use a smaller --block-size, or coap+tcp, which carries "
            + "larger messages."),
        CoapFormatException => (ExitCodes.Usage, null),
        CoapException => (ExitCodes.Network, null),
        SocketException => (ExitCodes.Network, null),
        IOException { HResult: BrokenPipe } when !OperatingSystem.IsWindows() => (ExitCodes.ReaderGone, null),
        IOException or UnauthorizedAccessException or CryptographicException => (ExitCodes.File, null),
        ArgumentException or FormatException => (ExitCodes.Usage, null),
        _ => (ExitCodes.Failure, null),
    };

    private static string? HintFor(EdhocException edhoc) => edhoc.Code != EdhocErrorCode.UnknownCredential ? null
        : edhoc.IsOfPeer ? "Make the server trust the credential in \"own\" of the file."
        : "Name the credential of the server in \"trusted\" of the file, if it is the intended one.";

    private static string HintFor(TimeSpan retryAfter)
    {
        double seconds = Math.Ceiling(retryAfter.TotalSeconds);
        return string.Create(CultureInfo.InvariantCulture, $"Try again in {seconds} s; --interval sets the pace of --repeat.");
    }

    private static string HintFor(CoapTimeoutException timeout) => timeout.Awaited switch
    {
        CoapTimeoutStep.NameResolution => "Use an address instead of the name.",
        CoapTimeoutStep.Turn => "Too many requests wait for this peer; --nstart allows more at a time.",
        CoapTimeoutStep.DtlsHandshake when timeout.ConnectProgress is { Stage: CoapConnectPhase.Authenticating } =>
            "Compare identity and key of --psk ID:KEY, or the certificate of --cert FILE, with what the server has; a key in "
                + "hexadecimal begins with 0x.",
        CoapTimeoutStep.Connect or CoapTimeoutStep.TlsHandshake or CoapTimeoutStep.DtlsHandshake or CoapTimeoutStep.WebSocketHandshake
            or CoapTimeoutStep.Capabilities =>
            DefaultPorts + " --timeout waits longer.",
        CoapTimeoutStep.Acknowledgement =>
            "No server answers at that address: check host and port, and whether a firewall blocks UDP. --timeout and "
                + "--max-retransmit try for longer.",
        _ => "The server did not answer in time; --timeout waits longer.",
    } + (timeout.IsOutcomeUnknown ? " The server may have executed it: check before you repeat it." : "");

    // A name may have several addresses, each of which failed by itself.
    private static CoapDtlsException? DtlsOf(Exception? exception) =>
        exception is null or CoapDtlsException ? exception as CoapDtlsException : DtlsOf(exception.InnerException);

    private static string? HintFor(CoapDtlsHandshakeFailure reason) => reason switch
    {
        CoapDtlsHandshakeFailure.NoAnswer or CoapDtlsHandshakeFailure.PortUnreachable =>
            "The default port is 5684 for coaps. --handshake-timeout waits longer.",
        CoapDtlsHandshakeFailure.TimedOut => "--handshake-timeout waits longer.",
        CoapDtlsHandshakeFailure.PreSharedKey =>
            "Compare identity and key of --psk ID:KEY with what the server has; a key in hexadecimal begins with 0x.",
        CoapDtlsHandshakeFailure.NotTrusted =>
            "--ca FILE trusts the authority of the server's certificate, --insecure trusts any server; the host of the URI must be a "
                + "name of the certificate.",
        CoapDtlsHandshakeFailure.Refused => "--cert FILE and --key FILE present a certificate that the server trusts.",
        CoapDtlsHandshakeFailure.NoCredentials or CoapDtlsHandshakeFailure.NothingInCommon =>
            "--psk ID:KEY gives a pre-shared key, --cert FILE and --key FILE a certificate; the server says which it takes.",
        _ => null,
    };
}
