namespace CoAP.NET.Cluster;

// All exceptions of requests to devices are in one file: each has a few lines, and they belong together.

/// <summary>A request to a device failed or got no answer.</summary>
/// <remarks>
/// The derived type is the reason. The message of an exception of this type itself describes other reasons, such as a rejection by the
/// device.
/// </remarks>
public class CoapDeviceException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="message">The description of the failure, with the remedy.</param>
    /// <param name="innerException">The cause.</param>
    public CoapDeviceException(string device, string message, Exception? innerException = null)
        : base(message, innerException) => Device = device;

    /// <summary>The name of the device.</summary>
    public string Device { get; }

    /// <summary>
    /// Whether the request may have changed the device. If true, read the state before you repeat the request; if false, the request had no
    /// effect.
    /// </summary>
    public bool IsOutcomeUnknown { get; init; }

    /// <summary>
    /// Whether its session moved to another node before the answer, and the request is safe to repeat there, by any node that still has all
    /// of it.
    /// </summary>
    internal bool HasMoved { get; init; }

    /// <summary>Formats the name for a message.</summary>
    private protected static string Line(string device) => $"The device '{CoapForeignText.LineOf(device)}'";

    /// <summary>Explains an unknown outcome at the end of a message.</summary>
    private protected static string Outcome(bool isUnknown) => isUnknown
        ? " The request may or may not have taken effect. Read the state before you repeat it."
        : " The request had no effect.";
}

/// <summary>No node has ever seen the device, or the cluster has forgotten it.</summary>
/// <remarks>The name is wrong, or the device has not connected to the cluster yet. Nothing was sent.</remarks>
public sealed class CoapDeviceUnknownException : CoapDeviceException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="device">The name of the device.</param>
    public CoapDeviceUnknownException(string device)
        : base(device, $"{Line(device)} is unknown: no node of the cluster has ever seen it. Check the name, and the name that DevicesAre "
            + "derives from the identity of its session. A device is known from its first session on.")
    {
    }
}

/// <summary>The device is known, but asleep: it has no session with any node, or did not answer recently.</summary>
/// <remarks>It is reachable after its next message. Try again then, or put the request into its outbox.</remarks>
public sealed class CoapDeviceAsleepException : CoapDeviceException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="lastHeard">The time of its last message; null if unknown.</param>
    /// <param name="isOutcomeUnknown">Whether this request was sent without an answer and may have taken effect.</param>
    /// <param name="innerException">The cause.</param>
    public CoapDeviceAsleepException(
        string device, DateTimeOffset? lastHeard, bool isOutcomeUnknown = false, Exception? innerException = null)
        : base(device, $"{Line(device)} is asleep: "
            + $"{(lastHeard is { } time ? $"it was last heard {time.UtcDateTime:u}." : "it was not heard lately.")}"
            + " Try again after its next message, or put the request into its outbox (CoapDeviceRequestOptions.Queue)."
            + Outcome(isOutcomeUnknown), innerException)
    {
        LastHeard = lastHeard;
        IsOutcomeUnknown = isOutcomeUnknown;
    }

    /// <summary>The time of its last message; null if unknown.</summary>
    public DateTimeOffset? LastHeard { get; }
}

/// <summary>
/// The device did not answer although it is not known to be asleep: a timeout, the end of its session, or an unreachable node.
/// </summary>
/// <remarks><see cref="CoapDeviceException.IsOutcomeUnknown"/> tells whether the request may have taken effect.</remarks>
public sealed class CoapDeviceUnreachableException : CoapDeviceException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="why">The description of the failure, as a sentence.</param>
    /// <param name="isOutcomeUnknown">Whether the request may have taken effect.</param>
    /// <param name="innerException">The cause.</param>
    public CoapDeviceUnreachableException(string device, string why, bool isOutcomeUnknown = false, Exception? innerException = null)
        : base(device, $"{Line(device)} is not reachable: {CoapForeignText.LineOf(why)}{Outcome(isOutcomeUnknown)}", innerException) =>
        IsOutcomeUnknown = isOutcomeUnknown;
}

/// <summary>A request in the outbox of a device failed. <see cref="Fault"/> is the reason.</summary>
public sealed class CoapDeviceQueueException : CoapDeviceException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="fault">The reason.</param>
    /// <param name="why">The description of the failure, as a sentence; null for the text of the fault.</param>
    public CoapDeviceQueueException(string device, CoapDeviceQueueFault fault, string? why = null)
        : base(device, $"{Line(device)} did not answer a request from its outbox: {CoapForeignText.LineOf(why ?? TextOf(fault))}")
    {
        Fault = fault;
        IsOutcomeUnknown = fault == CoapDeviceQueueFault.PerhapsSent;
    }

    /// <summary>The reason.</summary>
    public CoapDeviceQueueFault Fault { get; }

    private static string TextOf(CoapDeviceQueueFault fault) => fault switch
    {
        CoapDeviceQueueFault.Full => "there is no room. Try again when other requests are answered.",
        CoapDeviceQueueFault.TooLarge => "it is larger than the outbox allows. Send it while the device is awake.",
        CoapDeviceQueueFault.Expired => "its lifetime ended before the device was awake. It was not sent.",
        CoapDeviceQueueFault.Cancelled => "it was canceled. It was not sent.",
        CoapDeviceQueueFault.PerhapsSent => "it was sent without a known answer, and may or may not have taken effect. Read the "
            + "state before you repeat it.",
        CoapDeviceQueueFault.Forgotten => "no request with this id is known. The outcome of a request is kept for a limited time.",
        _ => "the request to the device failed.",
    };
}
