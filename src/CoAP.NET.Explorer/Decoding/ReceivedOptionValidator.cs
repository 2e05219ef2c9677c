using System.Globalization;
using System.Text.Unicode;

namespace CoAP.NET.Explorer.Decoding;

/// <summary>Finds the objections of a receiver to an option of a well-formed message (RFC 7252 section 5.4).</summary>
internal static class ReceivedOptionValidator
{
    /// <summary>Judges an option.</summary>
    /// <param name="code">The code of the message.</param>
    /// <param name="number">The number of the option.</param>
    /// <param name="value">Its value.</param>
    /// <param name="isRepeated">Whether the previous option has the same number.</param>
    /// <param name="isUnreliable">Whether the message arrived in a datagram.</param>
    /// <returns>The objection; null for none.</returns>
    public static string? Judge(CoapCode code, int number, ReadOnlySpan<byte> value, bool isRepeated, bool isUnreliable)
    {
        bool isCritical = OptionNumber.IsCritical(number);
        string fate = !isCritical ? "ignored (RFC 7252 section 5.4.1)"
            : code.IsRequest ? "answered 4.02 Bad Option by a server that does not know it (RFC 7252 section 5.4.1)"
            : code.IsSignalling ? "the connection is aborted by a receiver that does not know it (RFC 8323 section 5.2)"
            : "rejected by a receiver that does not know it (RFC 7252 section 5.4.1)";
        if (CoapOptionRegistry.Default.Find(code, number)?.Definition is not { } definition)
        {
            return $"not registered; {fate}";
        }

        OptionApplicability use = code.IsRequest ? OptionApplicability.Request : code.IsSignalling ? OptionApplicability.Signalling
            : OptionApplicability.Response;
        if ((definition.Use & use) == 0)
        {
            return $"not defined for {(use == OptionApplicability.Request ? "requests" : "responses")}: treated as unknown, {fate}";
        }

        if (!definition.AllowsLength(value.Length))
        {
            string range = definition.MinLength == definition.MaxLength
                ? definition.MinLength.ToString(CultureInfo.InvariantCulture)
                : string.Create(CultureInfo.InvariantCulture, $"{definition.MinLength} to {definition.MaxLength}");
            return $"its length must be {range} (RFC 7252 section 5.4.3): treated as unknown, {fate}";
        }

        if (isRepeated && !definition.IsRepeatable)
        {
            return $"may stand only once (RFC 7252 section 5.4.5): treated as unknown, {fate}";
        }

        if (definition.Format == OptionFormat.String && !Utf8.IsValid(value))
        {
            return "not valid UTF-8 (RFC 7252 section 3.2)";
        }

        if (number == OptionNumber.UriPath && (value.SequenceEqual("."u8) || value.SequenceEqual(".."u8)))
        {
            return "must not be '.' or '..' (RFC 7252 section 5.10.1)";
        }

        if (definition.Format == OptionFormat.UInt && value.Length > 0 && value[0] == 0)
        {
            return "has leading zeros, which a sender leaves out (RFC 7252 section 3.2)";
        }

        return isUnreliable && number is OptionNumber.Block1 or OptionNumber.Block2 && BlockValue.TryParse(value, out BlockValue block)
            && block.IsBert
            ? "a size exponent of 7 is reserved here (RFC 7959 section 2.2)"
            : null;
    }
}
