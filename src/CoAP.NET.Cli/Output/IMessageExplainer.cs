namespace CoAP.NET.Cli.Output;

/// <summary>Explains the bytes of a message to people, as <c>-vv</c> and <c>coap decode</c> do.</summary>
internal interface IMessageExplainer
{
    /// <summary>Writes lines that explain a message, or say where and why the bytes are none.</summary>
    /// <param name="message">The bytes as they are on the wire, of one message.</param>
    /// <param name="format">How the message is framed.</param>
    /// <param name="output">Where the lines go.</param>
    void Explain(ReadOnlySpan<byte> message, WireFormat format, TextWriter output);
}
