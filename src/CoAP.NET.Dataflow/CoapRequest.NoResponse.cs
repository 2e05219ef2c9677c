using CoAP.NET.Options;

namespace CoAP.NET;

// What a client has no use for.
public sealed partial class CoapRequest
{
    /// <summary>
    /// The classes of responses that the server need not send (RFC 7967). Default: none, all are wanted. With <see cref="NoResponseClasses.All"/> sending ends
    /// when the request was acknowledged, or sent if it is Non-confirmable, with a response whose <see cref="CoapResponse.IsNone"/> is true. With some classes
    /// it waits for the rest until <see cref="Timeout"/>; <see cref="CoapNoResponseRequests"/> makes null of silence.
    /// </summary>
    public NoResponseClasses NoResponse
    {
        get => Options.NoResponse ?? NoResponseClasses.None;
        set => Options.NoResponse = value == NoResponseClasses.None ? null : value;
    }
}
