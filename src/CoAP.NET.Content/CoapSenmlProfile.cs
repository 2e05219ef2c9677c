namespace CoAP.NET;

/// <summary>Which rules a SenML Pack follows.</summary>
public enum CoapSenmlProfile
{
    /// <summary>RFC 8428 as it stands. Default.</summary>
    Rfc8428,

    /// <summary>
    /// LwM2M 1.1 (Core, section 7.4.4): names may begin with <c>/</c>, a record may have no value (the paths of Read-Composite and
    /// Observe-Composite), and object links (<c>vlo</c>, <see cref="CoapSenmlRecord.ObjectLinkValue"/>) are values.
    /// </summary>
    Lwm2m,
}
