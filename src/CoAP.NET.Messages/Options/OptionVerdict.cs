using System.Globalization;

namespace CoAP.NET.Options;

/// <summary>The result of <see cref="OptionRules"/>. The default value accepts the options.</summary>
/// <param name="Fault">The fault.</param>
/// <param name="Number">The number of the first faulty option; 0 if accepted.</param>
internal readonly record struct OptionVerdict(OptionFault Fault, int Number)
{
    /// <summary>The options of an accepted message that need more than a plain exchange.</summary>
    internal RequestOptionFlags Special { get; init; }

    /// <summary>Whether the message may be processed.</summary>
    internal bool IsAccepted => Fault == OptionFault.None;

    internal OptionVerdictKind Kind => Fault switch
    {
        OptionFault.None => OptionVerdictKind.Accepted,
        OptionFault.Value or OptionFault.Refused => OptionVerdictKind.BadValue,
        _ => OptionVerdictKind.BadOption,
    };

    /// <summary>The code of the response to a request; 0.00 if accepted. A response is rejected instead (RFC 7252 section 5.4.1).</summary>
    internal CoapCode ResponseCode => Kind switch
    {
        OptionVerdictKind.Accepted => CoapCode.Empty,
        OptionVerdictKind.BadOption => CoapCode.BadOption,
        _ => CoapCode.BadRequest,
    };

    /// <summary>Returns a diagnostic payload that names the option (RFC 7252 sections 5.4.1 and 5.5.2).</summary>
    internal string Describe(CoapOptionRegistry registry)
    {
        OptionDefinition? definition = registry.FindDefinition(Number);
        string option = definition is not null
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
            _ when definition?.ValidValues is { } valid => $"{option} must be {valid}.",
            _ => $"{option} has an illegal value.",
        };
    }
}

/// <summary>What happens with a message after the check of its options.</summary>
internal enum OptionVerdictKind : byte
{
    Accepted,

    /// <summary>A critical option is not recognized: 4.02 to a request; a response is rejected (RFC 7252 section 5.4.1).</summary>
    BadOption,

    /// <summary>The value of a recognized option is invalid: 4.00.</summary>
    BadValue,
}
