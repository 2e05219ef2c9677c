namespace CoAP.NET.ResourceDirectory;

/// <summary>The state of a <see cref="CoapRegistration"/>.</summary>
public enum CoapRegistrationState
{
    /// <summary>The registration searches the directory.</summary>
    Searching,

    /// <summary>The registration has found the directory and registers.</summary>
    Registering,

    /// <summary>The endpoint is registered.</summary>
    Registered,

    /// <summary>
    /// The endpoint is registered until <see cref="CoapRegistrationStatus.Until"/>, but the last refresh failed; the next one follows at
    /// <see cref="CoapRegistrationStatus.NextTry"/>.
    /// </summary>
    Retrying,

    /// <summary>The endpoint is not registered; the next attempt follows at <see cref="CoapRegistrationStatus.NextTry"/>.</summary>
    Waiting,

    /// <summary>The registration was stopped.</summary>
    Ended,
}
