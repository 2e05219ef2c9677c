namespace CoAP.NET;

/// <summary>
/// Max-Age: how many seconds the response may be cached; with 5.03 and 4.29 how long to wait (RFC 7252 sections 5.10.5 and 5.9.3.4, RFC
/// 8516).
/// </summary>
/// <remarks>0 to 4 bytes; an absent option means 60 s.</remarks>
public sealed class MaxAgeOption : UIntOption, ITypedOption<MaxAgeOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="seconds">The time in seconds.</param>
    public MaxAgeOption(uint seconds)
        : base(Definition, seconds)
    {
    }

    /// <summary>Creates the option.</summary>
    /// <param name="duration">The time, 0 to 4,294,967,295 s; fractions of a second are truncated.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative or too long.</exception>
    public MaxAgeOption(TimeSpan duration)
        : this(ToSeconds(duration))
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.MaxAge, "Max-Age", OptionFormat.UInt, 0, 4, isRepeatable: false, OptionApplicability.Response)
        {
            // A cache keeps it apart, because it counts down.
            Storing = OptionCachingInResponses.Drop,
            ForwardingInResponse = OptionForwarding.Forward,
        };

    /// <summary>The value of an absent option: 60 s (RFC 7252 section 5.10.5).</summary>
    public static TimeSpan Default => TimeSpan.FromSeconds(60);

    /// <summary>The time.</summary>
    public TimeSpan Duration => TimeSpan.FromSeconds(Value);

    /// <inheritdoc/>
    static MaxAgeOption ITypedOption<MaxAgeOption>.Create(OptionData data) => new(data.GetUInt());

    /// <inheritdoc/>
    protected override string FormatValue() => base.FormatValue() + " s";

    internal static uint ToSeconds(TimeSpan duration)
    {
        long seconds = duration.Ticks / TimeSpan.TicksPerSecond;
        return duration >= TimeSpan.Zero && seconds <= uint.MaxValue
            ? (uint)seconds
            : throw new ArgumentOutOfRangeException(nameof(duration), duration,
                $"A Max-Age must be 0 to {uint.MaxValue} seconds (RFC 7252 section 5.10.5).");
    }
}
