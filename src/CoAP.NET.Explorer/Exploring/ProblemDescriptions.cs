using System.Net.Sockets;
using System.Security.Cryptography;
using CoAP.NET.Dtls;
using CoAP.NET.Errors;
using CoAP.NET.Explorer.Pages;
using CoAP.NET.Proxy;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>Describes failures of exchanges for the page.</summary>
internal static class ProblemDescriptions
{
    /// <summary>Whether a failure is reported to the user; others are bugs.</summary>
    public static bool IsExpected(Exception exception) => exception is ExplorerException or CoapException or SocketException or IOException
        or CryptographicException or ArgumentException or FormatException or InvalidOperationException;

    /// <summary>Describes the failure and a remedy.</summary>
    public static PageProblem Of(Exception exception) => exception switch
    {
        ExplorerException known => known.Problem,
        CoapTimeoutException timeout => new(
            "No answer",
            timeout.Message,
            timeout.IsOutcomeUnknown ? "The server may have processed it. Check before you repeat it." : HintFor(timeout.Awaited)),
        CoapTargetDeniedException => Denied(exception.Message),
        CoapException { Error: CoapError.RetryLater } =>
            new("Too many requests", exception.Message, "The server is busy. Try again later."),
        CoapException { Error: CoapError.Reset } =>
            new("Reset", exception.Message, "The server does not understand the request, or forgot its state."),
        CoapException { Error: CoapError.NameResolution } => new("Unknown host", exception.Message, "Check the name, or write an address."),
        CoapException { Error: CoapError.TooLarge } => new("Too large", exception.Message, "Choose a smaller block size, or coap+tcp."),
        _ when DtlsOf(exception) is { Reason: not CoapDtlsHandshakeFailure.NotAvailable } dtls =>
            new("No secure session", dtls.Message, "Compare the key or certificate with what the server has."),
        CoapConnectionException { Error: CoapError.HandshakeFailed } => new(
            "No secure connection",
            exception.Message,
            "Open the security settings at the top of the page, and enter the authority of the server's certificate, or choose a profile."),
        CoapConnectionException or SocketException => new(
            "Not reached",
            exception.Message,
            "Default ports are 5683 for coap and coap+tcp, 5684 for coaps and coaps+tcp, 80 for coap+ws, 443 for coaps+ws."),
        CoapProtocolException => new("Not understood", exception.Message, "See the messages below."),
        _ => new("Not done", exception.Message),
    };

    /// <summary>Describes a target that is not allowed.</summary>
    public static PageProblem Denied(string detail) =>
        new("Not allowed", detail, "The operator of this page sets the allowed targets in CoapExplorerOptions.Targets.");

    private static string HintFor(CoapTimeoutStep awaited) => awaited switch
    {
        CoapTimeoutStep.NameResolution => "Use an address instead of the name.",
        CoapTimeoutStep.Acknowledgement => "The address does not answer. Check host and port, and whether UDP gets through.",
        CoapTimeoutStep.DtlsHandshake => "Check the port, and compare the key or certificate with what the server has.",
        CoapTimeoutStep.Connect or CoapTimeoutStep.TlsHandshake or CoapTimeoutStep.WebSocketHandshake or CoapTimeoutStep.Capabilities =>
            "Check the port, and whether the server supports this scheme.",
        _ => "The server accepted the request but did not answer in time.",
    };

    private static CoapDtlsException? DtlsOf(Exception? exception) =>
        exception is null or CoapDtlsException ? exception as CoapDtlsException : DtlsOf(exception.InnerException);
}
