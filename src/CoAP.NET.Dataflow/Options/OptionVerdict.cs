using System.Globalization;

namespace CoAP.NET.Options;

/// <summary>What <see cref="OptionRules"/> found. The default value accepts.</summary>
/// <param name="Fault">What is wrong.</param>
/// <param name="Number">The number of the first option with which something is wrong; 0 when accepted.</param>
internal readonly record struct OptionVerdict(OptionFault Fault, int Number)
{
    /// <summary>Which options of an accepted message ask for more than a plain exchange.</summary>
    internal SpecialOptions Special { get; init; }

    /// <summary>Whether the message may be processed.</summary>
    internal bool IsAccepted => Fault == OptionFault.None;

    /// <summary>What becomes of the message.</summary>
    internal OptionVerdictKind Kind => Fault switch
    {
        OptionFault.None => OptionVerdictKind.Accepted,
        OptionFault.HopLimit => OptionVerdictKind.BadHopLimit,
        OptionFault.Value => OptionVerdictKind.BadValue,
        _ => OptionVerdictKind.BadOption,
    };

    /// <summary>
    /// The code that a request is answered with; 0.00 when accepted. A response is rejected instead (RFC 7252 section 5.4.1).
    /// </summary>
    internal CoapCode ResponseCode => Kind switch
    {
        OptionVerdictKind.Accepted => CoapCode.Empty,
        OptionVerdictKind.BadOption => CoapCode.BadOption,
        _ => CoapCode.BadRequest,
    };

    /// <summary>A diagnostic payload that names the option (RFC 7252 sections 5.4.1 and 5.5.2).</summary>
    internal string Describe()
    {
        string option = CoapOptionRegistry.Default.FindDefinition(CoapCode.Get, Number) is { } definition
            ? string.Create(CultureInfo.InvariantCulture, $"Option {Number} ({definition.Name})")
            : string.Create(CultureInfo.InvariantCulture, $"Option {Number}");
        return Fault switch
        {
            OptionFault.None => string.Empty,
            OptionFault.Unknown => $"{option} is critical and not supported.",
            OptionFault.Length => $"{option} has a value of illegal length.",
            OptionFault.Repeated => $"{option} may occur only once.",
            OptionFault.NotDefinedHere => $"{option} is not defined for this message.",
            OptionFault.ReservedLocation => $"{option} is a reserved Location option and not supported.",
            OptionFault.HopLimit => $"{option} must be 1 to 255.",
            _ => $"{option} has an illegal value.",
        };
    }
}
