using CoAP.NET.Options;

namespace CoAP.NET.Tests.Guides;

/// <summary>The option of docs/custom-options.md.</summary>
internal sealed class Priority(uint level) : UIntOption(Definition, level), ITypedOption<Priority>
{
    public static new OptionDefinition Definition { get; } = new(65_000, "Priority", OptionFormat.UInt, MinLength: 0, MaxLength: 1, Use: OptionUse.Request);

    public static Priority Create(OptionData data) => new(data.GetUInt());
}

/// <summary>The factory of docs/custom-options.md.</summary>
internal sealed class InternedPaths(HashSet<string> known) : IOptionFactory
{
    public OptionDefinition Definition => UriPath.Definition;

    public CoapOption Create(OptionData data) => new UriPath(known.TryGetValue(data.GetString(), out string? same) ? same : data.GetString());
}
