using CoAP.NET.Options;

namespace CoAP.NET;

// What a handler asks of a request before it acts: validation, preconditions, formats.
public sealed partial class CoapRequest
{
    /// <summary>Whether the client has this representation already: one of the ETag options equals it (RFC 7252 section 5.10.6.2). <see cref="CoapResults.ValidOr"/> answers by it.</summary>
    /// <param name="etag">The entity-tag of the current representation.</param>
    /// <returns>Whether one matches.</returns>
    public bool IsMatch(CoapETag etag) => HasValue(OptionNumber.ETag, etag);

    /// <summary>Checks If-Match and If-None-Match (RFC 7252 section 5.10.8). Call it before anything is changed.</summary>
    /// <param name="currentETag">The entity-tag of the current representation; null when the resource does not exist.</param>
    /// <returns>Null when the request may go on; otherwise 4.12 Precondition Failed to return.</returns>
    public CoapResult? CheckPreconditions(CoapETag? currentETag) => CheckPreconditions(currentETag is not null, currentETag);

    /// <summary>Checks If-Match and If-None-Match (RFC 7252 section 5.10.8) for a resource without entity-tags. An If-Match with an entity-tag never holds then.</summary>
    /// <param name="exists">Whether the resource exists.</param>
    /// <returns>Null when the request may go on; otherwise 4.12 Precondition Failed to return.</returns>
    public CoapResult? CheckPreconditions(bool exists) => CheckPreconditions(exists, null);

    /// <summary>Chooses the format of the answer by the Accept option (RFC 7252 section 5.10.4).</summary>
    /// <param name="available">What can be produced; the first is the one for clients that ask for none.</param>
    /// <returns>The format to use; null when the client wants another one, which is <see cref="CoapResults.NotAcceptable"/>.</returns>
    public CoapContentFormat? SelectFormat(params ReadOnlySpan<CoapContentFormat> available)
    {
        if (!Options.TryGetUInt(OptionNumber.Accept, out uint wanted))
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

    private CoapResult? CheckPreconditions(bool exists, CoapETag? currentETag)
    {
        if (exists && Options.Contains(OptionNumber.IfNoneMatch))
        {
            return CoapResults.PreconditionFailed();
        }

        // An empty If-Match asks for the existence alone; of several one that holds is enough.
        bool holds = !Options.Contains(OptionNumber.IfMatch)
            || (exists && (HasEmpty(OptionNumber.IfMatch) || (currentETag is { } etag && HasValue(OptionNumber.IfMatch, etag))));
        return holds ? null : CoapResults.PreconditionFailed();
    }

    private bool HasEmpty(int number)
    {
        for (int i = Options.IndexOf(number); i >= 0 && i < Options.Count && Options.NumberAt(i) == number; i++)
        {
            if (Options.ValueAt(i).IsEmpty)
            {
                return true;
            }
        }

        return false;
    }

    private bool HasValue(int number, CoapETag etag)
    {
        for (int i = Options.IndexOf(number); i >= 0 && i < Options.Count && Options.NumberAt(i) == number; i++)
        {
            if (etag.Length != 0 && etag.Matches(Options.ValueAt(i)))
            {
                return true;
            }
        }

        return false;
    }
}
