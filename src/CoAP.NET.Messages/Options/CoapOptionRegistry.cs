namespace CoAP.NET;

/// <summary>The option factories that a serializer and an endpoint know.</summary>
/// <remarks>
/// Immutable: <see cref="With"/> and <see cref="Without"/> return a changed copy. A factory creates what all ways of reading an option
/// return. An option without a factory stays an <see cref="UnrecognizedOption"/>.
/// </remarks>
public sealed class CoapOptionRegistry
{
    private const int DirectNumbers = 300;

    private readonly IOptionFactory?[] _direct = new IOptionFactory?[DirectNumbers];
    private readonly OptionDefinition?[] _directDefinitions = new OptionDefinition?[DirectNumbers];
    private readonly Dictionary<int, IOptionFactory> _byKey = [];

    // The definitions of numbers that are not direct; null for none, so that unknown numbers need no lookup.
    private readonly Dictionary<int, OptionDefinition>? _others;

    // The definitions of classes that create their options themselves.
    private readonly OptionDefinition?[] _directClasses = new OptionDefinition?[DirectNumbers];

    // The numbers of this library whose factories are others than its own; null for none.
    private readonly HashSet<int>? _replaced;

    /// <summary>Creates a registry with exactly these factories.</summary>
    /// <param name="factories">The factories; a later one replaces an earlier one with the same number.</param>
    /// <exception cref="ArgumentException">The definition of a factory contradicts itself, the class of its options, or what this library
    /// knows of the number.</exception>
    public CoapOptionRegistry(IEnumerable<IOptionFactory> factories)
    {
        ArgumentNullException.ThrowIfNull(factories);
        foreach (IOptionFactory factory in factories)
        {
            OptionDefinition definition = OptionDefinitionValidator.Check(factory, Default);
            _byKey[Key(definition.SignallingCode, factory.Number)] = factory;
            if (definition.SecondSignallingCode is { } second)
            {
                _byKey[Key(second, factory.Number)] = factory;
            }

            if (definition.SignallingCode is not null)
            {
                continue;
            }

            if (factory.Number >= DirectNumbers)
            {
                (_others ??= [])[factory.Number] = definition;
            }
            else
            {
                _direct[factory.Number] = factory;
                _directDefinitions[factory.Number] = OptionBehavior.Complete(
                    definition, Default?.Find(default, factory.Number)?.Definition);
                _directClasses[factory.Number] = OptionDefinitionValidator.ClassOf(factory) is null || IsOfAnotherClass(factory) ? null
                    : definition;
            }
        }

        HashSet<int> replaced = [.. _byKey.Values
            .Where(static factory => factory.Definition.SignallingCode is null && IsOfAnotherClass(factory))
            .Select(static factory => factory.Number)];
        _replaced = replaced.Count == 0 ? null : replaced;
    }

    /// <summary>The registry with all options that this library knows.</summary>
    public static CoapOptionRegistry Default { get; } = new(BuiltInOptionFactories.CreateFactories());

    /// <summary>The factories.</summary>
    public IEnumerable<IOptionFactory> Factories => _byKey.Values.Distinct();

    /// <summary>Returns a registry with an additional factory, or with a replacement of an existing one.</summary>
    /// <param name="factory">The factory.</param>
    /// <returns>The new registry.</returns>
    /// <exception cref="ArgumentException">The definition of the factory contradicts itself, the class of its options, or what this library
    /// knows of the number.</exception>
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

    /// <summary>Returns whether an option of requests and responses that this library knows has another factory.</summary>
    internal bool IsReplaced(int number) => _replaced is not null && _replaced.Contains(number);

    /// <summary>
    /// Returns whether a class creates its options itself: by its factory, or because there is none. The comparison of definitions makes
    /// the usual case fast.
    /// </summary>
    internal bool LeavesToClass<TOption>(CoapCode code, OptionDefinition definition)
        where TOption : CoapOption, ITypedOption<TOption> =>
            ((uint)definition.Number < DirectNumbers && ReferenceEquals(_directClasses[definition.Number], definition))
                || Find(code, definition.Number) is null or OptionFactory<TOption>;

    /// <summary>
    /// Returns the definition of an option, or null if no factory knows it. Called for every option of every received message.
    /// </summary>
    internal OptionDefinition? FindDefinition(CoapCode code, int number) =>
        code.IsSignalling ? Find(code, number)?.Definition : FindDefinition(number);

    /// <summary>Returns the definition of an option of requests and responses, or null if no factory knows it.</summary>
    internal OptionDefinition? FindDefinition(int number) =>
        (uint)number < DirectNumbers ? _directDefinitions[number] : _others?.GetValueOrDefault(number);

    // Whether this library knows the number, and another class for it, which may have the same definition.
    private static bool IsOfAnotherClass(IOptionFactory factory) =>
        Default?.Find(default, factory.Number) is { } known && known.GetType() != factory.GetType();

    private static int Key(CoapCode? signallingCode, int number) => ((signallingCode?.Value ?? 0) << 16) | number;
}
