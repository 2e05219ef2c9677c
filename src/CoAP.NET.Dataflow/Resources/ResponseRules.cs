using CoAP.NET.Options;

namespace CoAP.NET.Resources;

/// <summary>What the options of a request ask of its answer, whatever the handler thinks of it.</summary>
internal static class ResponseRules
{
    /// <summary>
    /// Whether a success has another Content-Format than Accept asks for: RFC 7252 section 5.10.4. An answer that names none is what the
    /// client takes it for.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="result">The answer.</param>
    /// <param name="format">The format of the answer.</param>
    /// <param name="wanted">The format that is asked for.</param>
    public static bool IsInUnwantedFormat(CoapRequest request, CoapResult result, out CoapContentFormat format,
        out CoapContentFormat wanted)
    {
        format = wanted = default;
        if (!result.Code.IsSuccess || !RouteTable.OptionsOf(request).TryGetUInt(OptionNumber.Accept, out uint accepted)
            || result.OptionsToRead is not { } options || !options.TryGetUInt(OptionNumber.ContentFormat, out uint given)
            || given == accepted)
        {
            return false;
        }

        (format, wanted) = (new CoapContentFormat((ushort)given), new CoapContentFormat((ushort)accepted));
        return true;
    }

    /// <summary>
    /// 2.03 Valid in the place of 2.05 Content that the client has already: one of its ETag options is that of the answer (RFC 7252 section
    /// 5.10.6.2). Otherwise the answer as it is.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="result">The answer.</param>
    public static CoapResult ValidIfKnown(CoapRequest request, CoapResult result)
    {
        CoapOptionCollection asked = RouteTable.OptionsOf(request);
        if (result.Code != CoapCode.Content || !request.Code.IsSafe || asked.IndexOf(OptionNumber.ETag) is not (>= 0 and var at)
            || result.OptionsToRead is not { } options || !options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> tag))
        {
            return result;
        }

        for (; at < asked.Count && asked.NumberAt(at) == OptionNumber.ETag; at++)
        {
            if (asked.ValueAt(at).SequenceEqual(tag))
            {
                CoapResult valid = new CoapResult(CoapCode.Valid).As(result);
                valid.Options.AddAll(options);
                valid.Options.Remove(OptionNumber.ContentFormat);
                return valid;
            }
        }

        return result;
    }
}
