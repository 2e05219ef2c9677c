using System.Runtime.InteropServices;

namespace CoAP.NET.Transports.Loops;

/// <summary>
/// The loops of a transport: those of its endpoint, one for each shard, if it serves; otherwise the one that all clients of the process
/// share.
/// </summary>
internal sealed class TransportLoops
{
    private static readonly bool s_isForThisMachine = OperatingSystem.IsLinux()
        && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;

    private static readonly Lazy<string?> s_refusal = new(TryCalls);

    private readonly ICoapTransportContext _context;
    private readonly bool _isServer;
    private SharedLoop? _shared;
    private ServerLoops? _own;
    private LoopClockSchedule? _clock;

    public TransportLoops(ICoapTransportContext context, TimeSpan handOverAfter, bool isServer)
    {
        _context = context;
        _isServer = isServer;
        Owner = new EpollTransportContext(context, handOverAfter);
    }

    /// <summary>Whether system and machine support the calls and the layout of their structures.</summary>
    public static bool IsSupported => s_isForThisMachine && Refusal is null;

    /// <summary>Why a system that should support the calls does not; null if it does, and for other systems.</summary>
    public static string? Refusal => s_isForThisMachine ? s_refusal.Value : null;

    /// <summary>The transport, as its loops see it.</summary>
    public EpollTransportContext Owner { get; }

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

    public EpollLoop Of(in CoapAddress remote) => All[All.Length > 1 ? _context.ShardOf(remote) : 0];

    public bool Has(EpollLoop loop) => loop.Index < All.Length && All[loop.Index] == loop;

    /// <summary>Attaches descriptors to a loop; the first loop with the clock.</summary>
    public async Task AttachAsync(int index, params (EpollWatchedDescriptor File, SafeHandle Handle)[] files)
    {
        LoopClockSchedule? clock = await All[index].AttachAsync(Owner, files, index == 0 && DrivesClock && _clock is null)
            .ConfigureAwait(false);
        _clock ??= clock;
    }

    public void Wake()
    {
        if (_clock is { } clock)
        {
            All[0].Wake(clock);
        }
    }

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

    // Tested once per process. A temporary lack of descriptors does not mean that the calls are unsupported.
    private static unsafe string? TryCalls()
    {
        try
        {
            using Microsoft.Win32.SafeHandles.SafeFileHandle epoll = LibC.CreateEpoll();
            if (epoll.IsInvalid && Marshal.GetLastPInvokeError() is var error && !LinuxErrors.IsShortage(error))
            {
                return ReasonOf("epoll_create1", error);
            }

            using Microsoft.Win32.SafeHandles.SafeFileHandle signal = LibC.CreateEvent();
            if (signal.IsInvalid && Marshal.GetLastPInvokeError() is var signalError && !LinuxErrors.IsShortage(signalError))
            {
                return ReasonOf("eventfd", signalError);
            }

            // Without a socket they fail, but in another way if the system does not have them.
            MmsgHeader nothing = default;
            return LibC.SendMany(-1, &nothing, 0, 0) < 0 && Marshal.GetLastPInvokeError() is var sendError and not LibC.EBADF
                ? ReasonOf("sendmmsg", sendError)
                : LibC.ReceiveMany(-1, &nothing, 0, 0, null) < 0 && Marshal.GetLastPInvokeError() is var receiveError and not LibC.EBADF
                    ? ReasonOf("recvmmsg", receiveError)
                    : null;
        }
        catch (Exception exception) when (exception is DllNotFoundException or EntryPointNotFoundException)
        {
            return exception.Message;
        }
    }

    private static string ReasonOf(string call, int error) => $"{call}: {Marshal.GetPInvokeErrorMessage(error)}.";
}
