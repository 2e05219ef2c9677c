namespace CoAP.NET.Cluster;

/// <summary>The outbox of a device at the node that has the slot of its name. Guarded by the outboxes.</summary>
internal sealed class OutboxQueue(string device, byte[] key, CoapFence fence)
{
    public string Device { get; } = device;

    public byte[] Key { get; } = key;

    /// <summary>Under which fence it is written.</summary>
    public CoapFence Fence { get; } = fence;

    /// <summary>What waits, in its order.</summary>
    public List<OutboxEntry> Entries { get; } = [];

    /// <summary>Cancelled when nothing more of it is to be sent here.</summary>
    public CancellationTokenSource Stop { get; } = new();

    /// <summary>Cancelled when what is being sent is not to be waited for any more.</summary>
    public CancellationTokenSource Abort { get; } = new();

    /// <summary>Cancelled when the head is to be looked at again.</summary>
    public CancellationTokenSource Look { get; set; } = new();

    /// <summary>Sends what waits.</summary>
    public Task Running { get; set; } = Task.CompletedTask;

    public bool IsRunning { get; set; }

    /// <summary>Has the head looked at again.</summary>
    public void LookAgain()
    {
        CancellationTokenSource look = Look;
        Look = new CancellationTokenSource();
        look.CancelAsync();
    }
}
