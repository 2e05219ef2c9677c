namespace CoAP.NET.Cli.Output;

/// <summary>Explains the bytes of a message in readable form, for <c>-vv</c> and <c>coap decode</c>.</summary>
internal interface IMessageExplainer
{
    /// <summary>Writes lines that explain a message, or say where and why the bytes are not valid.</summary>
    /// <param name="message">The bytes as they are on the wire, of one message.</param>
    /// <param name="format">The framing of the message.</param>
    /// <param name="output">The destination.</param>
    void Explain(ReadOnlySpan<byte> message, WireFormat format, TextWriter output);
}
