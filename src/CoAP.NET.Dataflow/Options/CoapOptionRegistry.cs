namespace CoAP.NET.Options;

/// <summary>The option factories that a serializer and an endpoint know.</summary>
/// <remarks>
/// Immutable: <see cref="With"/> and <see cref="Without"/> return a changed copy. An option without a factory stays an
/// <see cref="UnrecognizedOption"/>.
/// </remarks>
public sealed class CoapOptionRegistry
{
    private const int DirectNumbers = 300;

    private readonly IOptionFactory?[] _direct = new IOptionFactory?[DirectNumbers];
    private readonly OptionDefinition?[] _directDefinitions = new OptionDefinition?[DirectNumbers];
    private readonly Dictionary<int, IOptionFactory> _byKey = [];

    /// <summary>Creates a registry with exactly these factories.</summary>
    /// <param name="factories">The factories; a later one replaces an earlier one with the same number.</param>
    public CoapOptionRegistry(IEnumerable<IOptionFactory> factories)
    {
        ArgumentNullException.ThrowIfNull(factories);
        foreach (IOptionFactory factory in factories)
        {
            OptionDefinition definition = factory.Definition;
            _byKey[Key(definition.SignallingCode, factory.Number)] = factory;
            if (definition.SecondSignallingCode is { } second)
            {
                _byKey[Key(second, factory.Number)] = factory;
            }

            if (definition.SignallingCode is null && factory.Number < DirectNumbers)
            {
                _direct[factory.Number] = factory;
                _directDefinitions[factory.Number] = definition;
            }
        }
    }

    /// <summary>The registry with all options that this library knows.</summary>
    public static CoapOptionRegistry Default { get; } = new(RegisteredOptions.CreateFactories());

    /// <summary>The factories.</summary>
    public IEnumerable<IOptionFactory> Factories => _byKey.Values.Distinct();

    /// <summary>Returns a registry with an additional factory, or with a replacement of an existing one.</summary>
    /// <param name="factory">The factory.</param>
    /// <returns>The new registry.</returns>
    public CoapOptionRegistry With(IOptionFactory factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        return new CoapOptionRegistry(Factories.Append(factory));
    }

    /// <summary>Returns a registry without an option of requests and responses.</summary>
    /// <param name="number">The option number.</param>
    /// <returns>The new registry.</returns>
    public CoapOptionRegistry Without(int number) =>
        new(Factories.Where(factory => factory.Number != number || factory.Definition.SignallingCode is not null));

    /// <summary>Finds the factory of an option.</summary>
    /// <param name="code">The code of the message: signalling codes have their own numbers (RFC 8323 section 5.2).</param>
    /// <param name="number">The option number.</param>
    /// <returns>The factory, or null.</returns>
    public IOptionFactory? Find(CoapCode code, int number)
    {
        if (!code.IsSignalling)
        {
            return (uint)number < DirectNumbers ? _direct[number] : _byKey.GetValueOrDefault(number);
        }

        return _byKey.GetValueOrDefault(Key(code, number));
    }

    /// <summary>
    /// Creates the typed option, or an <see cref="UnrecognizedOption"/> if no factory knows it or its length is invalid (RFC 7252 section
    /// 5.4.3).
    /// </summary>
    /// <param name="code">The code of the message.</param>
    /// <param name="data">Number and bytes.</param>
    /// <returns>The option.</returns>
    public CoapOption Create(CoapCode code, OptionData data)
    {
        IOptionFactory? factory = Find(code, data.Number);
        return factory is not null && factory.Definition.AllowsLength(data.Value.Length)
            ? factory.Create(data)
            : new UnrecognizedOption(data.Number, data.Value.ToArray());
    }

    /// <summary>
    /// Returns the definition of an option, or null if no factory knows it. Called for every option of every received message.
    /// </summary>
    internal OptionDefinition? FindDefinition(CoapCode code, int number) =>
        !code.IsSignalling && (uint)number < DirectNumbers ? _directDefinitions[number] : Find(code, number)?.Definition;

    private static int Key(CoapCode? signallingCode, int number) => ((signallingCode?.Value ?? 0) << 16) | number;
}
