using System.Text.Unicode;

namespace CoAP.NET.Options;

/// <summary>
/// The rules for unrecognized options of received messages (RFC 7252 section 5.4). Unrecognized options have numbers without a factory,
/// invalid lengths, repetitions that are not allowed, or belong to other kinds of messages.
/// </summary>
internal static class OptionRules
{
    /// <summary>
    /// Checks the options of a received message once. It accepts them, or returns the first option that prevents processing. It removes
    /// known but invalid elective options, so that no later code sees them; unknown elective ones stay unchanged.
    /// </summary>
    /// <param name="message">The message.</param>
    /// <param name="allowsQBlock">Whether Q-Block1 and Q-Block2 are supported; otherwise they are unknown.</param>
    /// <param name="isForwarded">Whether a proxy forwards the message: an unrecognized option that is safe to forward passes, even if it is
    /// critical, because the final endpoint decides about it (RFC 7252 sections 5.4.2 and 5.7.1).</param>
    internal static OptionVerdict Check(CoapMessage message, bool allowsQBlock = false, bool isForwarded = false)
    {
        if (!message.HasOptions)
        {
            return default;
        }

        CoapOptionCollection options = message.Options;
        Context context = new(message.Code, allowsQBlock);
        int count = options.Count;
        int kept = 0;
        for (int i = 0; i < count; i++)
        {
            int number = options.NumberAt(i);
            OptionFault fault = context.Judge(options, i, number);
            context.Previous = number;
            if (fault == OptionFault.None || (isForwarded && IsForTheEndpoint(fault, number)))
            {
                if (kept < i)
                {
                    options.MoveDown(i, kept);
                }

                kept++;
            }
            else if (OptionNumber.IsCritical(number) || fault is OptionFault.Refused or OptionFault.ReservedLocation)
            {
                options.RemoveRange(kept, i);
                return new OptionVerdict(fault, number);
            }
        }

        if (kept < count)
        {
            options.RemoveRange(kept, count);
        }

        return new OptionVerdict { Special = context.Special };
    }

    /// <summary>
    /// Returns whether a FETCH lacks the format of its payload (RFC 8132 section 2.3.1). In a protected one it is encrypted and visible
    /// only with the keys (RFC 8613 section 4.1.2).
    /// </summary>
    internal static bool LacksContentFormat(CoapOptionCollection options) =>
        !options.Contains(OptionNumber.ContentFormat) && !options.Contains(OptionNumber.Oscore);

    /// <summary>
    /// Returns whether a request is for a proxy. Another server refuses it whatever the Uri options are, because Proxy-Uri has priority
    /// over them (RFC 7252 sections 5.7.2 and 5.10.2).
    /// </summary>
    internal static bool IsProxyRequest(CoapOptionCollection options)
    {
        for (int i = options.Count - 1; i >= 0 && options.NumberAt(i) is int number and >= OptionNumber.ProxyUri; i--)
        {
            if (number is OptionNumber.ProxyUri or OptionNumber.ProxyScheme)
            {
                return true;
            }
        }

        return false;
    }

    // An invalid length makes an option unrecognized, unless its definition refuses it.
    private static bool IsForTheEndpoint(OptionFault fault, int number) =>
        !OptionNumber.IsUnsafe(number)
        && fault is (OptionFault.Unknown or OptionFault.Length or OptionFault.Repeated or OptionFault.NotDefinedHere);

    private ref struct Context(CoapCode code, bool allowsQBlock)
    {
        private readonly OptionApplicability _use = code.IsRequest ? OptionApplicability.Request
            : code.IsResponse ? OptionApplicability.Response
            : code.IsSignalling ? OptionApplicability.Signalling
            : OptionApplicability.None;

        private bool _hasLocation;

        internal int Previous { get; set; } = -1;

        internal RequestOptionFlags Special { get; private set; }

        internal OptionFault Judge(CoapOptionCollection options, int index, int number)
        {
            if (options.Registry.FindDefinition(code, number) is not { } definition
                || (definition.IsUnsupported && !(allowsQBlock && number is OptionNumber.QBlock1 or OptionNumber.QBlock2)))
            {
                return JudgeUnknown(number);
            }

            if ((definition.Use & _use) == 0
                || (definition.Methods is { } methods && _use == OptionApplicability.Request && !methods.Contains(code)))
            {
                return OptionFault.NotDefinedHere;
            }

            if (number == Previous
                && (!definition.IsRepeatable || (definition.IsSingleInResponse && _use == OptionApplicability.Response)))
            {
                return OptionFault.Repeated;
            }

            // The rule of a definition that refuses invalid values has priority over the rule for lengths (RFC 8768 section 3).
            ReadOnlySpan<byte> value = options.ValueAt(index);
            if (!definition.AllowsLength(value.Length))
            {
                return definition.RefusesInvalid ? OptionFault.Refused : OptionFault.Length;
            }

            _hasLocation |= _use == OptionApplicability.Response && number is OptionNumber.LocationPath or OptionNumber.LocationQuery;
            Special |= definition.Special;

            bool isText = definition.Format != OptionFormat.String || !definition.IsCritical || Utf8.IsValid(value);
            return isText && definition.IsValid?.Invoke(new OptionData(number, value)) != false ? OptionFault.None
                : definition.RefusesInvalid ? OptionFault.Refused
                : OptionFault.Value;
        }

        private readonly OptionFault JudgeUnknown(int number) =>
            OptionNumber.IsCritical(number) ? OptionFault.Unknown
            : _hasLocation && number is 128 or 132 or 136 or 140 ? OptionFault.ReservedLocation
            : OptionFault.None;
    }
}
