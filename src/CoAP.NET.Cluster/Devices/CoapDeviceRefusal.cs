namespace CoAP.NET.Cluster;

/// <summary>Why a device that is there is not observed.</summary>
public enum CoapDeviceRefusal
{
    /// <summary>It answers with an error, such as 4.04 where it has no such resource (RFC 7641 section 4.1).</summary>
    Error,

    /// <summary>It answers without the Observe option: it gives its state and does not notify (RFC 7641 section 4.1).</summary>
    NotObservable,

    /// <summary>It notifies with more than <see cref="CoapDeviceOptions.MaxNotificationSize"/>.</summary>
    TooLarge,
}
