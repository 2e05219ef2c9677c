namespace CoAP.NET.Cluster;

// All exceptions that requests to devices fail by, in one file: each is a few lines, and they are read together.

/// <summary>
/// A device could not be asked, or did not answer. The derived type says why; one that is none of them says it in its message, such as that
/// the device rejected the request.
/// </summary>
public class CoapDeviceException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapDeviceException(string device, string message, Exception? innerException = null)
        : base(message, innerException) => Device = device;

    /// <summary>The name of the device.</summary>
    public string Device { get; }

    /// <summary>
    /// Whether the request asks for a change and may have taken effect at the device: ask for the state before doing it again. When false,
    /// it took no effect.
    /// </summary>
    public bool IsOutcomeUnknown { get; init; }

    /// <summary>
    /// Whether its session went to another node before it answered, and it does no harm to ask it there again: whoever still has the whole
    /// request may.
    /// </summary>
    internal bool HasMoved { get; init; }

    /// <summary>The name as text for a message.</summary>
    private protected static string Line(string device) => $"The device '{CoapForeignText.LineOf(device)}'";

    /// <summary>What an unknown outcome means, as the end of a message.</summary>
    private protected static string Outcome(bool isUnknown) => isUnknown
        ? " The request may have taken effect or not: ask for the state before doing it again."
        : " The request took no effect.";
}

/// <summary>
/// No node has ever seen the device, or it was forgotten: the name is wrong, or the device has not connected to the cluster yet. Nothing
/// was sent.
/// </summary>
public sealed class CoapDeviceUnknownException : CoapDeviceException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="device">The name of the device.</param>
    public CoapDeviceUnknownException(string device)
        : base(device, $"{Line(device)} is unknown: no node of the cluster has ever seen it. Check the name, and what DevicesAre makes of "
            + "the identity of its session; a device is known from its first session on.")
    {
    }
}

/// <summary>
/// The device is known, and asleep: it has no session with any node, or did not answer lately. It can be asked when it has said something.
/// Try again then, or let the request wait for it.
/// </summary>
public sealed class CoapDeviceAsleepException : CoapDeviceException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="lastHeard">When it last said something; null when that is not known.</param>
    /// <param name="isOutcomeUnknown">Whether the request was sent and may have taken effect, as it was this one that was not answered.
    /// </param>
    /// <param name="innerException">What caused it.</param>
    public CoapDeviceAsleepException(
        string device, DateTimeOffset? lastHeard, bool isOutcomeUnknown = false, Exception? innerException = null)
        : base(device, $"{Line(device)} is asleep: "
            + $"{(lastHeard is { } time ? $"it was last heard {time.UtcDateTime:u}." : "it was not heard lately.")}"
            + " Ask again when it has said something, or let the request wait for it (CoapDeviceRequestOptions.Queue)."
            + Outcome(isOutcomeUnknown), innerException)
    {
        LastHeard = lastHeard;
        IsOutcomeUnknown = isOutcomeUnknown;
    }

    /// <summary>When it last said something; null when that is not known.</summary>
    public DateTimeOffset? LastHeard { get; }
}

/// <summary>
/// There is no answer, and it is not known that the device sleeps: it did not answer in time, its session ended meanwhile, or the node that
/// has its session cannot be reached. <see cref="CoapDeviceException.IsOutcomeUnknown"/> says whether the request may have taken effect.
/// </summary>
public sealed class CoapDeviceUnreachableException : CoapDeviceException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="why">What happened, as a sentence.</param>
    /// <param name="isOutcomeUnknown">Whether the request may have taken effect.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapDeviceUnreachableException(string device, string why, bool isOutcomeUnknown = false, Exception? innerException = null)
        : base(device, $"{Line(device)} cannot be reached: {CoapForeignText.LineOf(why)}{Outcome(isOutcomeUnknown)}", innerException) =>
        IsOutcomeUnknown = isOutcomeUnknown;
}

/// <summary>A request that was to wait in the outbox of a device has no answer. <see cref="Fault"/> says why.</summary>
public sealed class CoapDeviceQueueException : CoapDeviceException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="fault">Why.</param>
    /// <param name="why">What happened, as a sentence; null for what the fault says.</param>
    public CoapDeviceQueueException(string device, CoapDeviceQueueFault fault, string? why = null)
        : base(device, $"{Line(device)} gets no request from its outbox: {CoapForeignText.LineOf(why ?? TextOf(fault))}")
    {
        Fault = fault;
        IsOutcomeUnknown = fault == CoapDeviceQueueFault.PerhapsSent;
    }

    /// <summary>Why.</summary>
    public CoapDeviceQueueFault Fault { get; }

    private static string TextOf(CoapDeviceQueueFault fault) => fault switch
    {
        CoapDeviceQueueFault.Full => "there is no room. Try again when some are answered.",
        CoapDeviceQueueFault.TooLarge => "it is larger than what can be kept. Send it while the device is awake.",
        CoapDeviceQueueFault.Expired => "its lifetime ended before the device was awake. It was not sent.",
        CoapDeviceQueueFault.Cancelled => "it was cancelled. It was not sent.",
        CoapDeviceQueueFault.PerhapsSent => "it was sent and is not known to be answered, so it may have taken effect or not: ask for the "
            + "state before doing it again.",
        CoapDeviceQueueFault.Forgotten => "no request of this id is known. Its outcome is kept for a while only.",
        _ => "the device could not be asked.",
    };
}
