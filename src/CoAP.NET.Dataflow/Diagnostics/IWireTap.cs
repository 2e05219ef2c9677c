namespace CoAP.NET.Diagnostics;

/// <summary>Receives copies of the messages between the transports and the stages of an endpoint.</summary>
internal interface IWireTap
{
    /// <summary>Receives a message. Never waits, never throws.</summary>
    void See(ReadOnlySpan<byte> bytes, string scheme, in CoapAddress remote, in CoapAddress local, bool isStream, bool isInbound);
}
