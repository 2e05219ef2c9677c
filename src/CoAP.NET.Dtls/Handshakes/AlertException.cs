namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The handshake cannot continue. The peer gets the alert, and the application the text.</summary>
/// <param name="alert">The alert.</param>
/// <param name="text">What is wrong, and what to do.</param>
/// <param name="fault">The kind of the reason.</param>
internal sealed class AlertException(AlertDescription alert, string text, HandshakeFault fault = HandshakeFault.Other) : Exception(text)
{
    public AlertDescription Alert => alert;

    public HandshakeFault Fault => fault;
}
