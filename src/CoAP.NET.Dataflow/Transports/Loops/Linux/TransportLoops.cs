using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>
/// The loops that a transport works on: those of its endpoint, one for each shard, when it serves; the one that all clients of the process
/// share otherwise.
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

    /// <summary>Whether system and machine are such that the calls and the layout of their structures are known.</summary>
    public static bool IsSupported => s_supported.Value;

    /// <summary>The transport, as its loops see it.</summary>
    public LoopOwner Owner { get; }

    /// <summary>The loops, by shard, or the shared one; none before the start.</summary>
    public EpollLoop[] All { get; private set; } = [];

    /// <summary>
    /// Whether the first loop calls the clock: not one that is not the system's, as it is not driven by real time, and not when the
    /// endpoint's own loops call it already.
    /// </summary>
    public bool DrivesClock { get; private set; }

    /// <summary>Has the loops run.</summary>
    /// <exception cref="CoapException">There is no thread, or no descriptor, for them.</exception>
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

    /// <summary>The loop for a peer.</summary>
    public EpollLoop Of(in CoapAddress remote) => All[All.Length > 1 ? _context.ShardOf(remote) : 0];

    /// <summary>Whether a loop is one of them.</summary>
    public bool Has(EpollLoop loop) => loop.Index < All.Length && All[loop.Index] == loop;

    /// <summary>Has a loop take up descriptors; the first one with the clock.</summary>
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

    /// <summary>Has the loops forget the transport.</summary>
    public async Task DetachAsync()
    {
        for (int i = 0; i < All.Length; i++)
        {
            await All[i].DetachAsync(Owner, i == 0 ? _clock : null).ConfigureAwait(false);
        }
    }

    /// <summary>Gives the loops back, once.</summary>
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
            // Asked once in a process: that there is no descriptor just now says nothing about the calls.
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
