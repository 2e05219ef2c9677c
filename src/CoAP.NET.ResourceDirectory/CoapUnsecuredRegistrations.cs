namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// What a directory lets clients do that have not proven who they are, as on plain <c>coap</c>. See
/// <see cref="CoapDirectoryOptions.Unsecured"/>.
/// </summary>
public enum CoapUnsecuredRegistrations
{
    /// <summary>
    /// They register, and whoever asks from the same address, whatever its port, may change the registration. An endpoint whose address
    /// changes can register again when its lifetime is over.
    /// </summary>
    SameAddress,

    /// <summary>They register, and anybody may change what was registered so.</summary>
    Anyone,

    /// <summary>They do not register: they are answered 4.01 Unauthorized. They may look up.</summary>
    Refused,
}
