namespace CoAP.NET.Diagnostics;

/// <summary>Sees the messages between the transports and the stages of an endpoint.</summary>
internal interface IWireTap
{
    /// <summary>Gets a message. Never waits, never throws.</summary>
    void See(ReadOnlySpan<byte> bytes, string scheme, in CoapAddress remote, in CoapAddress local, bool isStream, bool isInbound);
}
