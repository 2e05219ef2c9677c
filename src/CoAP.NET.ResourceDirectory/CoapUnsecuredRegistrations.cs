namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// The rights of clients without authentication, as on plain <c>coap</c>. See <see cref="CoapDirectoryOptions.Unsecured"/>.
/// </summary>
public enum CoapUnsecuredRegistrations
{
    /// <summary>
    /// They may register, and requests from the same address with any port may change the registration. An endpoint with a new address can
    /// register again when its lifetime is over.
    /// </summary>
    SameAddress,

    /// <summary>They may register, and any client may change such a registration.</summary>
    Anyone,

    /// <summary>They may look up but not register: registrations get 4.01 Unauthorized.</summary>
    Refused,
}
