using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Tests.Steering;

/// <summary>What one of several servers of a process knows of the others: what it relays arrives at once. Thread-safe.</summary>
internal sealed class LinkedSteering(LinkedSlots slots, int number) : ICoapDtlsSteering
{
    private int _relayed;
    private int _next;

    public CoapDtlsSteeringContext Port { get; private set; } = null!;

    public MemorySessionBackup Backup { get; } = new();

    /// <summary>How many datagrams it gave to others.</summary>
    public int Relayed => Volatile.Read(ref _relayed);

    public void Start(CoapDtlsSteeringContext port) => Port = port;

    public byte? SlotOfNewSession() => slots.SlotOf(number, Interlocked.Increment(ref _next));

    public bool TryRelay(byte? slot, CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        if (slot is not { } known)
        {
            return false;
        }

        // The one that has it may have just released it.
        LinkedSteering owner = slots.OwnerOf(known);
        if (owner != this && owner.Port.Receive(number, remote, datagram.ToArray()))
        {
            Interlocked.Increment(ref _relayed);
            return true;
        }

        return slots.TryHold(known, number, remote, datagram);
    }

    public bool TryEnqueue(int via, byte slot, CoapAddress remote, ReadOnlySpan<byte> datagram) => false;

    public bool TrySendVia(int via, CoapAddress remote, ReadOnlySpan<byte> datagram) => slots[via].Port.Send(remote, datagram);
}
