namespace CoAP.NET.Tests.Options;

/// <summary>Creates Uri-Path options in capital letters, and counts them.</summary>
internal sealed class CountingPaths : IOptionFactory
{
    public int Calls { get; private set; }

    public CoapOption? Last { get; private set; }

    public OptionDefinition Definition => UriPathOption.Definition;

    public CoapOption Create(OptionData data)
    {
        Calls++;
        return Last = new UriPathOption(data.GetString().ToUpperInvariant());
    }
}
