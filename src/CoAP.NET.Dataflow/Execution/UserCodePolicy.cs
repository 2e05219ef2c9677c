using CoAP.NET.Resources;

namespace CoAP.NET.Execution;

/// <summary>
/// All numbers that decide which thread runs user code. User code is code of the application that the library calls: handlers, events,
/// option factories, blocks at the stage links, continuations of awaited responses.
/// </summary>
/// <remarks>
/// <para>
/// There are three rules. User code runs on the thread that brought it, and that thread has a role (<see cref="UserCodeScope"/>). A
/// <see cref="Watchdog"/> gives the role to a stand-by thread when the user code keeps it for too long. User code that does so repeatedly
/// runs elsewhere for a while (<see cref="UserCodeCost"/>): a handler on threads of the library behind the one bounded queue of its route
/// (<see cref="HandlerWorkQueue"/>), a continuation on the thread pool.
/// </para>
/// <para>
/// The table of docs/architecture.md has these numbers. Times and counts that follow from them are computed where they are used: the
/// watchdog looks twice in <see cref="HandOverAfter"/>, and a loop is crowded when more than half of the last 32 looks, the bits of a
/// number, found it in user code. One thread static is a mode of a thread, <see cref="UserCodeScope.Role"/>, and only receiving code sets
/// it. All others only save work, such as a buffer kept for its next use; a test lists them.
/// </para>
/// </remarks>
internal static class UserCodePolicy
{
    /// <summary>
    /// How long user code may delay others: then a stand-by thread takes the role, and the call counts as too long. Long enough that a
    /// handler usually keeps its thread while the runtime compiles it. Short compared with a round trip in a typical CoAP network.
    /// </summary>
    public static readonly TimeSpan HandOverAfter = TimeSpan.FromMilliseconds(4);

    /// <summary>
    /// The duration from which a call is worth moving to another thread, which costs some microseconds. A call that takes longer counts as
    /// too long where others wait for its thread: in a handler on a crowded loop, and in a continuation (decision 0008).
    /// </summary>
    public static readonly TimeSpan CostlyFrom = TimeSpan.FromMicroseconds(50);

    /// <summary>
    /// How many calls that are too long move user code off the receiving threads. Fewer may be chance, such as a thread that the system
    /// kept off its processor. For the same reason so many first calls are not measured: the runtime compiles the code during these.
    /// </summary>
    public const int CallsOfChance = 3;

    /// <summary>
    /// How long moved user code stays elsewhere, and within which time calls that are too long are counted together. Its cause, such as a
    /// database, rarely recovers sooner. Another try costs <see cref="CallsOfChance"/> hand-overs, which cannot be measured once a minute.
    /// </summary>
    public static readonly TimeSpan AsideFor = TimeSpan.FromMinutes(1);

    /// <summary>
    /// After so many calls elsewhere, user code comes back early if they took less than <see cref="CostlyFrom"/> on average. Calls that are
    /// too long but rarer than one in so many do not move it. Among so many, the effects of compilation and of the system's scheduling are
    /// few.
    /// </summary>
    public const int CallsToJudge = 1024;

    /// <summary>
    /// How many requests of one moved or offloaded route run at a time, each until its handler returns its task. A handler that blocks
    /// needs a thread for each request; beyond this number more threads would not help, whatever they wait for.
    /// </summary>
    public const int RouteThreads = 256;

    /// <summary>
    /// How many handlers may compute at a time on threads of the library. Half of the processors, at least one; the rest is for the
    /// receiving threads.
    /// </summary>
    public static readonly int ComputingThreads = Math.Max(1, Environment.ProcessorCount / 2);

    /// <summary>
    /// The maximum number of threads of the library; handlers use at most half, so that a receive loop finds a stand-by. Further work is
    /// refused and never queued. A process that needs more threads has another problem.
    /// </summary>
    public const int MaxThreads = 4096;

    /// <summary>How long an idle thread of the library waits for work before it ends. Starting one takes about 0.1 ms.</summary>
    public static readonly TimeSpan IdleThreadFor = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Once the first request in the queue of a route has waited for so long, further ones are answered 5.03 at once. As long as a peer
    /// waits for an answer before it sends its message again (ACK_TIMEOUT, RFC 7252 section 4.8). A pause of the process is shorter.
    /// </summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How many calls may wait for threads: requests in the queue of a route, where each source has a share, and events for slow event
    /// handlers. Strangers cause both. Some hundred kilobytes for each queue.
    /// </summary>
    public const int MaxWaiting = 1000;

    /// <summary>
    /// How many equal items a thread takes before others have their turn: reads of a connection whose peer sends faster than it is read,
    /// and clients that are notified during one hold of the shard's lock, about 40 us, and at one tick of the clock.
    /// </summary>
    public const int ItemsAtOnce = 64;
}
