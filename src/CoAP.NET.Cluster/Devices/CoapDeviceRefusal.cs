namespace CoAP.NET.Cluster;

/// <summary>The reason why a connected device is not observed.</summary>
public enum CoapDeviceRefusal
{
    /// <summary>It answers with an error, such as 4.04 if it lacks the resource (RFC 7641 section 4.1).</summary>
    Error,

    /// <summary>It answers without the Observe option: it returns its state and does not notify (RFC 7641 section 4.1).</summary>
    NotObservable,

    /// <summary>Its notifications are larger than <see cref="CoapDeviceOptions.MaxNotificationSize"/>.</summary>
    TooLarge,
}
