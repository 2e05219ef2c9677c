namespace CoAP.NET.Cluster;

/// <summary>The outbox of a device at the node that owns the slot of its name. Guarded by the outboxes.</summary>
internal sealed class OutboxQueue(string device, CoapFence fence)
{
    public string Device { get; } = device;

    public CoapSlot Slot { get; } = DeviceName.SlotOf(device);

    /// <summary>The fence of its writes.</summary>
    public CoapFence Fence { get; } = fence;

    /// <summary>The waiting requests in order.</summary>
    public List<OutboxEntry> Entries { get; } = [];

    /// <summary>Canceled when this node must send nothing more of it.</summary>
    public CancellationTokenSource Stop { get; } = new();

    /// <summary>Canceled when the pending request must be abandoned.</summary>
    public CancellationTokenSource Abort { get; } = new();

    /// <summary>Canceled when the head has to be checked again.</summary>
    public CancellationTokenSource Look { get; set; } = new();

    /// <summary>The task that sends the requests.</summary>
    public Task Running { get; set; } = Task.CompletedTask;

    public bool IsRunning { get; set; }

    /// <summary>Makes the task check the head again.</summary>
    public void LookAgain()
    {
        CancellationTokenSource look = Look;
        Look = new CancellationTokenSource();
        look.CancelAsync();
    }
}
