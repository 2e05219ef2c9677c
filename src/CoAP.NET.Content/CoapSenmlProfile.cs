namespace CoAP.NET;

/// <summary>Selects the rules of a SenML Pack.</summary>
public enum CoapSenmlProfile
{
    /// <summary>The rules of RFC 8428. Default.</summary>
    Rfc8428,

    /// <summary>LwM2M 1.1 (Core, section 7.4.4).</summary>
    /// <remarks>
    /// Names may begin with <c>/</c>. A record may have no value (the paths of Read-Composite and Observe-Composite). Object links
    /// (<c>vlo</c>, <see cref="CoapSenmlRecord.ObjectLinkValue"/>) are values.
    /// </remarks>
    Lwm2m,
}
