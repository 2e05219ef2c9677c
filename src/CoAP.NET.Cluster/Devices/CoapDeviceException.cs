using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster;

/// <summary>A request to a device failed or got no answer. <see cref="Fault"/> is the reason.</summary>
public sealed class CoapDeviceException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="fault">The reason.</param>
    /// <param name="device">The name of the device.</param>
    /// <param name="message">The description of the failure, with the remedy.</param>
    /// <param name="innerException">The cause.</param>
    public CoapDeviceException(CoapDeviceFault fault, string device, string message, Exception? innerException = null)
        : base(message, innerException) => (Fault, Device) = (fault, device);

    /// <summary>The reason.</summary>
    public CoapDeviceFault Fault { get; }

    /// <summary>The name of the device.</summary>
    public string Device { get; }

    /// <summary>The time of its last message, if it is asleep (<see cref="CoapDeviceFault.Asleep"/>); null if unknown.</summary>
    public DateTimeOffset? LastHeard { get; init; }

    /// <summary>
    /// Whether its session moved to another node before the answer, and the request is safe to repeat there, by any node that still has all
    /// of it.
    /// </summary>
    internal bool HasMoved { get; init; }

    /// <summary>Creates the exception for an unknown device.</summary>
    internal static CoapDeviceException Unknown(string device) => new(CoapDeviceFault.Unknown, device,
        $"{Line(device)} is unknown: no node of the cluster has ever seen it. Check the name, and the name that DevicesAre "
            + "derives from the identity of its session. A device is known from its first session on.");

    /// <summary>Creates the exception for a device that is asleep.</summary>
    internal static CoapDeviceException Asleep(
        string device, DateTimeOffset? lastHeard, bool isOutcomeUnknown = false, Exception? innerException = null) =>
        new(CoapDeviceFault.Asleep, device, $"{Line(device)} is asleep: "
            + $"{(lastHeard is { } time ? $"it was last heard {time.UtcDateTime:u}." : "it was not heard lately.")}"
            + " Try again after its next message, or put the request into its outbox (CoapDeviceRequestOptions.Queue)."
            + Outcome(isOutcomeUnknown), innerException)
        {
            LastHeard = lastHeard,
            IsOutcomeUnknown = isOutcomeUnknown,
        };

    /// <summary>Creates the exception for a device that did not answer.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="why">The description of the failure, as a sentence.</param>
    /// <param name="isOutcomeUnknown">Whether the request may have taken effect.</param>
    /// <param name="innerException">The cause.</param>
    /// <param name="hasMoved">The value of <see cref="HasMoved"/>.</param>
    internal static CoapDeviceException Unreachable(
        string device, string why, bool isOutcomeUnknown = false, Exception? innerException = null, bool hasMoved = false) =>
        new(CoapDeviceFault.Unreachable, device,
            $"{Line(device)} is not reachable: {CoapUntrustedText.LineOf(why)}{Outcome(isOutcomeUnknown)}", innerException)
        {
            IsOutcomeUnknown = isOutcomeUnknown,
            HasMoved = hasMoved,
        };

    /// <summary>Creates the exception for a request from an outbox.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="fault">The reason.</param>
    /// <param name="why">The description of the failure, as a sentence; null for the text of the fault.</param>
    internal static CoapDeviceException Queued(string device, CoapDeviceFault fault, string? why = null) => new(fault, device,
        $"{Line(device)} did not answer a request from its outbox: {CoapUntrustedText.LineOf(why ?? TextOf(fault))}")
    {
        IsOutcomeUnknown = fault == CoapDeviceFault.PerhapsSent,
    };

    private static string Line(string device) => $"The device '{CoapUntrustedText.LineOf(device)}'";

    // At the end of a message.
    private static string Outcome(bool isUnknown) => isUnknown
        ? " The request may or may not have taken effect. Read the state before you repeat it."
        : " The request had no effect.";

    private static string TextOf(CoapDeviceFault fault) => fault switch
    {
        CoapDeviceFault.Full => "there is no room. Try again when other requests are answered.",
        CoapDeviceFault.TooLarge => "it is larger than the outbox allows. Send it while the device is awake.",
        CoapDeviceFault.Expired => "its lifetime ended before the device was awake. It was not sent.",
        CoapDeviceFault.Cancelled => "it was canceled. It was not sent.",
        CoapDeviceFault.PerhapsSent => "it was sent without a known answer, and may or may not have taken effect. Read the "
            + "state before you repeat it.",
        CoapDeviceFault.Forgotten => "no request with this id is known. The outcome of a request is kept for a limited time.",
        _ => "the request to the device failed.",
    };
}
