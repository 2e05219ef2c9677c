namespace CoAP.NET;

/// <summary>How far a <see cref="CoapRegistration"/> is.</summary>
public enum CoapRegistrationState
{
    /// <summary>It looks for the directory.</summary>
    Searching,

    /// <summary>It has found the directory and registers.</summary>
    Registering,

    /// <summary>The endpoint is registered, and all is well.</summary>
    Registered,

    /// <summary>
    /// The endpoint is registered until <see cref="CoapRegistrationStatus.Until"/>, but the last refresh failed; the next one comes at
    /// <see cref="CoapRegistrationStatus.NextTry"/>.
    /// </summary>
    Retrying,

    /// <summary>The endpoint is not registered; the next try comes at <see cref="CoapRegistrationStatus.NextTry"/>.</summary>
    Waiting,

    /// <summary>It was stopped.</summary>
    Ended,
}
