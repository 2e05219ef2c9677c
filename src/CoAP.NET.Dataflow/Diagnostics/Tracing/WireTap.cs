using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>Sees the messages between the transports and the stages of an endpoint.</summary>
internal abstract class WireTap
{
    /// <summary>Gets a message. Never waits, never throws.</summary>
    public abstract void See(
        ReadOnlySpan<byte> bytes, string scheme, in CoapAddress remote, in CoapAddress local, bool isStream, bool isInbound);
}
