namespace CoAP.NET.Cli.Output;

/// <summary>Shows the bytes of a message as they are.</summary>
internal sealed class HexExplainer : IMessageExplainer
{
    /// <inheritdoc/>
    public void Explain(ReadOnlySpan<byte> message, WireFormat format, TextWriter output) => HexDump.Write(message, output);
}
