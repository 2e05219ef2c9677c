namespace CoAP.NET.Resources;

/// <summary>Applies Accept and ETag of a request to the result of its handler.</summary>
internal static class AcceptAndETagRules
{
    /// <summary>
    /// Returns whether a success has another Content-Format than Accept asks for: RFC 7252 section 5.10.4. A response without a format
    /// matches any.
    /// </summary>
    public static bool IsInUnwantedFormat(CoapRequestContext request, CoapResult result, out CoapContentFormat format,
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
    /// Returns 2.03 Valid instead of 2.05 Content if the client already has the content: one of its ETag options is that of the response
    /// (RFC 7252 section 5.10.6.2). Otherwise the unchanged response.
    /// </summary>
    public static CoapResult ValidIfKnown(CoapRequestContext request, CoapResult result)
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
                valid.OwnOptions.AddAll(options);
                valid.OwnOptions.Remove(OptionNumber.ContentFormat);
                return valid;
            }
        }

        return result;
    }
}
