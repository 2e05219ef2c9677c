namespace CoAP.NET.Requests;

/// <summary>The preconditions of a request (RFC 7252 sections 5.10.6 and 5.10.8).</summary>
internal static class RequestPreconditions
{
    /// <summary>Checks If-Match and If-None-Match.</summary>
    /// <param name="options">The options of the request.</param>
    /// <param name="exists">Whether the resource exists.</param>
    /// <param name="currentETag">The entity-tag of the current representation; null for none.</param>
    /// <returns>Null if the request may continue; otherwise 4.12.</returns>
    public static CoapResult? Check(CoapOptionCollection options, bool exists, CoapETag? currentETag)
    {
        if (exists && options.Contains(OptionNumber.IfNoneMatch))
        {
            return CoapResults.PreconditionFailed();
        }

        // An empty If-Match only requires that the resource exists; one match is enough.
        bool holds = !options.Contains(OptionNumber.IfMatch)
            || (exists && (HasEmpty(options, OptionNumber.IfMatch)
                || (currentETag is { } etag && HasTag(options, OptionNumber.IfMatch, etag))));
        return holds ? null : CoapResults.PreconditionFailed();
    }

    /// <summary>Returns whether one of the options with a number equals an entity-tag.</summary>
    public static bool HasTag(CoapOptionCollection options, int number, CoapETag etag)
    {
        for (int i = options.IndexOf(number); i >= 0 && i < options.Count && options.NumberAt(i) == number; i++)
        {
            if (etag.Length != 0 && etag.Matches(options.ValueAt(i)))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Chooses the format of the response by the Accept option (RFC 7252 section 5.10.4).</summary>
    /// <param name="options">The options of the request.</param>
    /// <param name="available">The available formats; the first is the default for clients without Accept.</param>
    /// <returns>The format to use; null if the client wants another one.</returns>
    public static CoapContentFormat? SelectFormat(CoapOptionCollection options, ReadOnlySpan<CoapContentFormat> available)
    {
        if (!options.TryGetUInt(OptionNumber.Accept, out uint wanted))
        {
            return available.IsEmpty ? null : available[0];
        }

        foreach (CoapContentFormat format in available)
        {
            if (format.Value == wanted)
            {
                return format;
            }
        }

        return null;
    }

    private static bool HasEmpty(CoapOptionCollection options, int number)
    {
        for (int i = options.IndexOf(number); i >= 0 && i < options.Count && options.NumberAt(i) == number; i++)
        {
            if (options.ValueAt(i).IsEmpty)
            {
                return true;
            }
        }

        return false;
    }
}
