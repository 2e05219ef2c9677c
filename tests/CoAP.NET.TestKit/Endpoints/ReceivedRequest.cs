namespace CoAP.NET.Tests.Endpoints;

/// <summary>Requests as a server receives them, without a channel: for code that only reads their message.</summary>
internal static class ReceivedRequest
{
    public static CoapRequestContext Of(CoapMessage message) => new(message, null!);

    public static CoapRequestContext Of(CoapMethod method) => Of(new CoapMessage(method));
}
