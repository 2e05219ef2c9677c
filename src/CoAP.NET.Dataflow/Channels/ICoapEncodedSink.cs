namespace CoAP.NET.Channels;

/// <summary>Gets the bytes of a message from the Serializer stage, before they go on.</summary>
internal interface ICoapEncodedSink
{
    /// <summary>Called once, without any lock held, on the thread that encodes.</summary>
    /// <param name="outbound">What was encoded.</param>
    /// <param name="bytes">The bytes, valid for this call only.</param>
    void OnEncoded(in CoapOutbound outbound, ReadOnlySpan<byte> bytes);
}
