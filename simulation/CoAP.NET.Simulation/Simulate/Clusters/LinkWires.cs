using System.Buffers;
using System.IO.Pipelines;
using CoAP.NET.Testing;
using CoAP.NET.Transports;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// The connections between nodes, in virtual time: bytes take a while, wait while one of the ends stands still or the two are cut off from
/// each other, and end with the process at one of the ends.
/// </summary>
/// <param name="clock">The time of the world.</param>
internal sealed class LinkWires(VirtualClock clock)
{
    private static readonly TimeSpan s_latency = TimeSpan.FromMilliseconds(1);

    private readonly Dictionary<CoapAddress, LinkTransport> _listening = [];
    private readonly HashSet<(CoapAddress, CoapAddress)> _cuts = [];
    private readonly List<Wire> _wires = [];
    private TaskCompletionSource _changed = New();

    public VirtualClock Clock => clock;

    public void Listen(CoapAddress address, LinkTransport transport) => _listening[address] = transport;

    public void Leave(CoapAddress address, LinkTransport transport)
    {
        if (_listening.GetValueOrDefault(address) == transport)
        {
            _listening.Remove(address);
        }
    }

    public LinkTransport? Find(CoapAddress address) => _listening.GetValueOrDefault(address);

    public bool IsCut(CoapAddress one, CoapAddress other) => _cuts.Contains((one, other)) || _cuts.Contains((other, one));

    /// <summary>Cuts two nodes off from each other: nothing comes through, and nobody is told.</summary>
    public void Cut(CoapAddress one, CoapAddress other) => _cuts.Add((one, other));

    /// <summary>Ends all cuts.</summary>
    public void Heal()
    {
        _cuts.Clear();
        Change();
    }

    /// <summary>The process at an address has ended, and its system says so to whoever has a connection with it.</summary>
    public void Reset(CoapAddress address)
    {
        _listening.Remove(address);
        foreach (Wire wire in _wires.Where(wire => wire.From == address || wire.To == address).ToArray())
        {
            wire.Output.Complete(new IOException("The connection was reset."));
            _wires.Remove(wire);
        }
    }

    /// <summary>The machine at an address is gone: nobody says anything.</summary>
    public void Vanish(CoapAddress address) => _listening.Remove(address);

    /// <summary>Waits until two nodes are not cut off from each other.</summary>
    public async Task UncutAsync(CoapAddress one, CoapAddress other, CancellationToken cancellationToken)
    {
        while (IsCut(one, other))
        {
            await _changed.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Carries what one end writes to the other one.</summary>
    /// <param name="from">The address of the writer.</param>
    /// <param name="to">The address of the reader.</param>
    /// <param name="reader">The process of the reader.</param>
    /// <param name="input">What is written.</param>
    /// <param name="output">What is read.</param>
    public void Carry(CoapAddress from, CoapAddress to, NodeTime reader, PipeReader input, PipeWriter output)
    {
        Wire wire = new(from, to, output);
        _wires.Add(wire);
        _ = CarryAsync(wire, reader, input);
    }

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Change()
    {
        TaskCompletionSource changed = _changed;
        _changed = New();
        changed.TrySetResult();
    }

    private async Task CarryAsync(Wire wire, NodeTime reader, PipeReader input)
    {
        Exception? failure = null;
        try
        {
            while (true)
            {
                ReadResult read = await input.ReadAsync().ConfigureAwait(false);
                byte[] bytes = read.Buffer.ToArray();
                input.AdvanceTo(read.Buffer.End);
                await Task.Delay(s_latency, clock).ConfigureAwait(false);
                await UncutAsync(wire.From, wire.To, CancellationToken.None).ConfigureAwait(false);
                await reader.AwakeAsync().ConfigureAwait(false);
                if (bytes.Length > 0 && (await wire.Output.WriteAsync(bytes).ConfigureAwait(false)).IsCompleted)
                {
                    break;
                }

                if (read.IsCompleted)
                {
                    break;
                }
            }
        }
        catch (Exception exception) when (exception is IOException or InvalidOperationException)
        {
            failure = exception;
        }

        _wires.Remove(wire);
        await input.CompleteAsync(failure).ConfigureAwait(false);
        await wire.Output.CompleteAsync(failure).ConfigureAwait(false);
    }

    private sealed record Wire(CoapAddress From, CoapAddress To, PipeWriter Output);
}
