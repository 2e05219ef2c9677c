namespace CoAP.NET.Tests.Guides;

#pragma warning disable CS0108 // tests see what is internal in the base class; users do not
/// <summary>The option of docs/custom-options.md.</summary>
internal sealed class Priority(uint level) : UIntOption(Definition, level), ITypedOption<Priority>
{
    public static OptionDefinition Definition { get; } = new(65_000, "Priority", OptionFormat.UInt, minLength: 0, maxLength: 1,
        use: OptionApplicability.Request);

    public static Priority Create(OptionData data) => new(data.GetUInt());
}

/// <summary>The option of docs/custom-options.md that declares what the library does with it.</summary>
internal sealed class Tenant(string name) : StringOption(Definition, name), ITypedOption<Tenant>
{
    public static OptionDefinition Definition { get; } =
        new(65_003, "Tenant", OptionFormat.String, minLength: 1, maxLength: 32, use: OptionApplicability.Request)
        {
            IsValid = static data => !data.Value.ContainsAnyExceptInRange((byte)'a', (byte)'z'),
            ValidValues = "letters from a to z",
            Caching = OptionCachingInRequests.Key,
            ForwardingInRequest = OptionForwarding.Forward,
        };

    public static Tenant Create(OptionData data) => new(data.GetString());
}

/// <summary>The option with a value of its own type of docs/custom-options.md.</summary>
internal sealed class DeviceId(Guid id) : CoapOption<Guid>(Definition, id), ITypedOption<DeviceId>
{
    public static OptionDefinition Definition { get; } = new(65_004, "Device-Id", OptionFormat.Opaque, minLength: 16, maxLength: 16);

    public override int ValueLength => 16;

    public static DeviceId Create(OptionData data) => new(new Guid(data.Value, bigEndian: true));

    public override void WriteValue(Span<byte> destination) => Value.TryWriteBytes(destination, bigEndian: true, out _);
}
#pragma warning restore CS0108

/// <summary>The factory of docs/custom-options.md.</summary>
internal sealed class InternedPaths(HashSet<string> known) : IOptionFactory
{
    private readonly OptionFactory<UriPathOption> _usual = new();

    public OptionDefinition Definition => UriPathOption.Definition;

    public CoapOption Create(OptionData data) =>
        known.TryGetValue(data.GetString(), out string? same)
            ? new UriPathOption(same)
            : _usual.Create(data);
}
