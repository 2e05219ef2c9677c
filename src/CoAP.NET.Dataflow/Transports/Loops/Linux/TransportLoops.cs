using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>
/// The loops of a transport: those of its endpoint, one for each shard, if it serves; otherwise the one that all clients of the process
/// share.
/// </summary>
internal sealed class TransportLoops
{
    private static readonly Lazy<bool> s_supported = new(TryCalls);

    private readonly ICoapTransportContext _context;
    private readonly bool _isServer;
    private SharedLoop? _shared;
    private ServerLoops? _own;
    private LoopClock? _clock;

    public TransportLoops(ICoapTransportContext context, TimeSpan handOverAfter, bool isServer)
    {
        _context = context;
        _isServer = isServer;
        Owner = new LoopOwner(context, handOverAfter);
    }

    /// <summary>Whether system and machine support the calls and the layout of their structures.</summary>
    public static bool IsSupported => s_supported.Value;

    /// <summary>The transport, as its loops see it.</summary>
    public LoopOwner Owner { get; }

    /// <summary>The loops, by shard, or the shared one; none before the start.</summary>
    public EpollLoop[] All { get; private set; } = [];

    /// <summary>
    /// Whether the first loop drives the clock: not a clock other than the system's, because real time does not drive it, and not if the
    /// endpoint's own loops already do.
    /// </summary>
    public bool DrivesClock { get; private set; }

    /// <summary>Starts the loops.</summary>
    /// <exception cref="CoapException">No thread or no descriptor is available for them.</exception>
    public void Start()
    {
        ServerLoops own = ServerLoops.Of(_context);
        DrivesClock = ReferenceEquals(_context.TimeProvider, TimeProvider.System) && (_isServer || !own.IsRunning);
        if (_isServer)
        {
            All = own.Acquire() ?? throw NoThread();
            _own = own;
        }
        else
        {
            SharedLoop shared = SharedLoop.Of(_context.Scheduler);
            All = [shared.Acquire() ?? throw NoThread()];
            _shared = shared;
        }
    }

    /// <summary>Returns the loop for a peer.</summary>
    public EpollLoop Of(in CoapAddress remote) => All[All.Length > 1 ? _context.ShardOf(remote) : 0];

    /// <summary>Whether a loop is one of these.</summary>
    public bool Has(EpollLoop loop) => loop.Index < All.Length && All[loop.Index] == loop;

    /// <summary>Attaches descriptors to a loop; the first loop with the clock.</summary>
    public async Task AttachAsync(int index, params (LoopFile File, SafeHandle Handle)[] files)
    {
        LoopClock? clock = await All[index].AttachAsync(Owner, files, index == 0 && DrivesClock && _clock is null).ConfigureAwait(false);
        _clock ??= clock;
    }

    public void Wake()
    {
        if (_clock is { } clock)
        {
            All[0].Wake(clock);
        }
    }

    /// <summary>Detaches the transport from its loops.</summary>
    public async Task DetachAsync()
    {
        for (int i = 0; i < All.Length; i++)
        {
            await All[i].DetachAsync(Owner, i == 0 ? _clock : null).ConfigureAwait(false);
        }
    }

    /// <summary>Releases the loops, once.</summary>
    public void Release()
    {
        _shared?.Release(All[0]);
        _own?.Release();
    }

    private static CoapException NoThread() =>
        new("No thread is left for the receive loop: too many of the library's threads are blocked by handlers. Handlers should await "
            + "instead of blocking.");

    private static bool TryCalls()
    {
        if (!OperatingSystem.IsLinux() || RuntimeInformation.ProcessArchitecture is not (Architecture.X64 or Architecture.Arm64))
        {
            return false;
        }

        try
        {
            // Tested once per process. A temporary lack of descriptors does not mean that the calls are unsupported.
            using Microsoft.Win32.SafeHandles.SafeFileHandle epoll = LibC.CreateEpoll();
            bool hasEpoll = !epoll.IsInvalid || LinuxErrors.IsShortage(Marshal.GetLastPInvokeError());
            using Microsoft.Win32.SafeHandles.SafeFileHandle signal = LibC.CreateEvent();
            return hasEpoll && (!signal.IsInvalid || LinuxErrors.IsShortage(Marshal.GetLastPInvokeError()));
        }
        catch (Exception exception) when (exception is DllNotFoundException or EntryPointNotFoundException)
        {
            return false;
        }
    }
}
