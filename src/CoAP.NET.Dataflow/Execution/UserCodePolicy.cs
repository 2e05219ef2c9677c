using CoAP.NET.Resources;

namespace CoAP.NET.Execution;

/// <summary>
/// Defines which threads run user code, with all its numbers. User code is code of the application that the library calls: handlers,
/// events, option factories, blocks at the stage links, continuations of awaited responses.
/// </summary>
/// <remarks>
/// <para>
/// The rule: user code runs on the thread that brought it, as long as it is short. A receiving thread loses its role to a stand-by
/// thread when its user code blocks (<see cref="ReceiveLoop"/>, <see cref="ReceiveLoopOwnership"/>,
/// <see cref="BlockedReceiveLoopWatchdog"/>). A handler that blocks again and again, or is too much work for a busy loop, runs on threads
/// of the library for a while (<see cref="HandlerCostEstimator"/>, <see cref="RouteExecutor"/>, <see cref="HandlerWorkQueue"/>,
/// <see cref="HandlerThreadLimiter"/>). Handlers of notifications follow the same rule. A thread of the shared pool that fires a timer runs
/// no user code: it passes due timers to a thread of the library (<c>ShardTimerDriver</c>). A table in docs/architecture.md lists the
/// threads of each engine.
/// </para>
/// <para>
/// One thread static is a mode of a thread. Only receiving code sets it. <see cref="UserCodeScope.Role"/> is the role of the thread: it
/// distinguishes user code from stage code, and adds messages sent during a batch to that batch. All other thread statics of the library
/// only save work, such as a buffer kept for its next use; a test lists them.
/// </para>
/// </remarks>
internal static class UserCodePolicy
{
    /// <summary>
    /// The default of <c>HandOverAfter</c>: how long user code may delay the other items of a loop. Long enough that a handler usually
    /// keeps its thread while the runtime compiles it. Short compared with a round trip in a typical CoAP network.
    /// </summary>
    public static readonly TimeSpan HandOverAfter = TimeSpan.FromMilliseconds(4);

    /// <summary>The minimum for options. The watchdog checks every 2 ms, so less has no effect.</summary>
    public static readonly TimeSpan ShortestHandOver = TimeSpan.FromMilliseconds(1);

    /// <summary>The maximum for options. Larger values are mistakes; "never" is a value of its own.</summary>
    public static readonly TimeSpan LongestHandOver = TimeSpan.FromMinutes(1);

    /// <summary>
    /// How often the watchdog checks loops in user code, and <see cref="HandlerThreadLimiter"/> its threads. Half of <see
    /// cref="HandOverAfter"/>, so the role is taken at most 2 ms late. A check costs some microseconds.
    /// </summary>
    public static readonly TimeSpan LookPeriod = TimeSpan.FromMilliseconds(2);

    /// <summary>
    /// How many checks must find the same user code before the role is taken. One is not enough: a pause of the whole process, however
    /// long, is one check.
    /// </summary>
    public const int LooksToHandOver = 2;

    /// <summary>
    /// After so many checks without any progress the watchdog releases its thread: 0.1 s. Otherwise a busy server would start and stop it
    /// with each request, which costs more than the checks.
    /// </summary>
    public const int LooksToSleep = 50;

    /// <summary>
    /// In how many of the last 32 checks (64 ms) a loop must be in user code to count as crowded: it then has hardly any time for anything
    /// else, so it cannot keep up.
    /// </summary>
    public const int LooksToBeCrowded = 26;

    /// <summary>With fewer of 32 it is no longer crowded. Well below <see cref="LooksToBeCrowded"/>, so that it does not flicker.</summary>
    public const int LooksToStayCrowded = 16;

    /// <summary>
    /// The pause after a failure that would otherwise repeat at full speed: an unreadable socket, or a clock whose timer throws. Long
    /// enough to leave the processor to others, short enough to go unnoticed when the failure was the only one.
    /// </summary>
    public static readonly TimeSpan FailurePause = TimeSpan.FromMilliseconds(10);

    /// <summary>
    /// How long answers wait for the end of a batch while its thread is in user code, on asynchronous connections. No stand-by takes over
    /// there, so a timer sends them when a loop would have handed over.
    /// </summary>
    public static readonly TimeSpan DelayedFlushAfter = HandOverAfter;

    /// <summary>
    /// After how many reads that found data at once an asynchronous connection yields its thread of the pool: a peer that sends faster
    /// than it is read would keep the thread.
    /// </summary>
    public const int ReadsOfConnectionAtOnce = 16;

    /// <summary>
    /// The minimum duration of a call that counts as blocking its thread. Above the cost of garbage collections and the system's scheduler,
    /// which are not the handler's fault.
    /// </summary>
    public static readonly TimeSpan BlockedFrom = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// The same for a call that lost the receive role: others had to wait, so the limit is lower. Just below <see cref="HandOverAfter"/>,
    /// because garbage collections are subtracted.
    /// </summary>
    public static readonly TimeSpan BlockedFromWhenTaken = TimeSpan.FromMilliseconds(3);

    /// <summary>How many blocking calls within <see cref="BlocksWithin"/> make a handler slow. One or two may be chance.</summary>
    public const int BlocksToBeSlow = 3;

    /// <summary>See <see cref="BlocksToBeSlow"/>. A handler that blocks less often costs a hand-over now and then.</summary>
    public static readonly TimeSpan BlocksWithin = TimeSpan.FromMinutes(1);

    /// <summary>
    /// How long a slow handler stays on threads of the library, unless it proves quick there (<see cref="CallsToComeBack"/>). Its cause,
    /// such as a database, rarely recovers sooner, and each attempt costs <see cref="BlocksToBeSlow"/> hand-overs.
    /// </summary>
    public static readonly TimeSpan SlowFor = TimeSpan.FromMinutes(5);

    /// <summary>
    /// After so many calls on threads of the library a handler is judged again. Among so many, the effects of compilation and of the
    /// system's scheduling are few.
    /// </summary>
    public const int CallsToComeBack = 1024;

    /// <summary>
    /// With at most so many blocking calls of <see cref="CallsToComeBack"/> a handler is no longer slow: it costs a hand-over now and then.
    /// About as rare as <see cref="CallsToBeQuick"/> requires.
    /// </summary>
    public const int BlocksToComeBack = 1;

    /// <summary>With at least so many cheap calls of <see cref="CallsToComeBack"/> a handler is no longer costly.</summary>
    public const int CheapCallsToComeBack = CallsToComeBack - (CallsToComeBack / 8);

    /// <summary>How many first calls of a handler are not judged: the runtime compiles it during these.</summary>
    public const int FirstCalls = 3;

    /// <summary>
    /// Among more calls than this, <see cref="BlocksToBeSlow"/> blocking ones are not the handler's fault: a thousand quick calls for each
    /// show that the system kept the thread off its processor.
    /// </summary>
    public const int CallsToBeQuick = 3000;

    /// <summary>
    /// Quick calls are counted in steps of this size, by every 16th call of a thread, because processors that all write one number with
    /// each call slow each other down.
    /// </summary>
    public const int QuickCallsAtOnce = 16;

    /// <summary>
    /// The minimum duration of a call that is worth moving to another thread, which costs some microseconds. Checked only while a loop is
    /// crowded.
    /// </summary>
    public static readonly TimeSpan CostlyFrom = TimeSpan.FromMicroseconds(50);

    /// <summary>How many costly calls in a row make a handler costly; fewer may be chance.</summary>
    public const int CallsToBeCostly = 8;

    /// <summary>
    /// How long after the last waiting request a costly handler returns to receiving threads. Short, because a queue without waiting
    /// requests is a useless detour.
    /// </summary>
    public static readonly TimeSpan CostlyFor = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How many requests of one slow route run at a time. Blocking handlers need a thread each; beyond this number more threads would not
    /// help, whatever they wait for.
    /// </summary>
    public const int SlowParallelism = 256;

    /// <summary>
    /// How many requests of one route run at a time by default, each until its handler returns its task, where the application moved the
    /// handlers to threads of the library. Some for each processor, because such handlers may block; computing ones are fewer anyway
    /// (<see cref="HandlerThreadLimiter"/>).
    /// </summary>
    public static readonly int OffloadedParallelism = Math.Min(SlowParallelism, 8 * Environment.ProcessorCount);

    /// <summary>
    /// How many threads the slow handlers of one endpoint may use together, also those that the application moved. Well below
    /// <see cref="MaxThreads"/>, so the receive loops always find one.
    /// </summary>
    public const int MaxSlowThreads = 1024;

    /// <summary>
    /// How many requests of one costly route run at a time. They are CPU-bound, so more threads than processors would only take time from
    /// the receiving threads.
    /// </summary>
    public static readonly int CostlyParallelism = Environment.ProcessorCount;

    /// <summary>
    /// How long a request waits for a slow or costly handler; then it is answered 5.03. The response still fits on the acknowledgement, and
    /// no peer retransmits meanwhile (ACK_TIMEOUT is 2 s, RFC 7252 section 4.8).
    /// </summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromMilliseconds(250);

    /// <summary>
    /// The factor of that time for a request that continues an operation, such as the last block of a body: refusing it wastes the earlier
    /// work. Still limited, because strangers can begin many.
    /// </summary>
    public const int WaitsOfContinuations = 2;

    /// <summary>
    /// When the first waiting request has waited for so long, further ones are refused at once: no thread becomes free. Much longer than
    /// <see cref="LongestWait"/>, so a pause of the process does not refuse what came meanwhile.
    /// </summary>
    public static readonly TimeSpan StoppedAfter = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How many handlers may compute at a time on threads of the library. Half of the processors, at least one; the rest is for the
    /// receiving threads.
    /// </summary>
    public static readonly int ComputingThreads = Math.Max(1, Environment.ProcessorCount / 2);

    /// <summary>
    /// How many computing threads above <see cref="ComputingThreads"/> one check counts before it stops. Each thread costs a system query;
    /// the next check finds the others.
    /// </summary>
    public const int SurplusAtOnce = 8;

    /// <summary>
    /// If all threads wait, their number grows by one part in this many at each check. It soon reaches the demand, and does not overshoot
    /// if the new ones compute.
    /// </summary>
    public const int GrowthPart = 2;

    /// <summary>
    /// With so many pool threads in user code, asynchronous connections run their frames on threads of the library. With as many as
    /// processors some of them must be waiting, and more might, until none is left to read.
    /// </summary>
    public static readonly int PoolThreadsInUserCode = Environment.ProcessorCount;

    /// <summary>
    /// The maximum number of threads of the library. Further work is refused and never queued. A process that needs more threads has
    /// another problem.
    /// </summary>
    public const int MaxThreads = 4096;

    /// <summary>How long an idle thread of the library waits for work before it ends. Starting one takes about 0.1 ms.</summary>
    public static readonly TimeSpan IdleThreadFor = TimeSpan.FromSeconds(5);

    /// <summary>The minimum average duration of continuations that count as work for other processors (decision 0008).</summary>
    public static readonly TimeSpan ContinuationIsWorkFrom = TimeSpan.FromMicroseconds(50);

    /// <summary>
    /// One in so many continuations is measured. Two readings of the clock cost as much as a short continuation. A power of two.
    /// </summary>
    public const int ContinuationSamplePeriod = 16;

    /// <summary>How many measured continuations are averaged: one decision for each 256 continuations.</summary>
    public const int ContinuationSamples = 16;

    /// <summary>
    /// One measured continuation counts at most as so many times the limit, so a single one that the runtime compiled does not decide.
    /// </summary>
    public const int ContinuationOutlier = 2;

    /// <summary>How long expensive continuations run on the thread pool.</summary>
    public static readonly TimeSpan ContinuationWorkPause = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long continuations run on the thread pool after one blocked its thread. Doubled when it soon happens again, up to
    /// <see cref="LongestContinuationPause"/>.
    /// </summary>
    public static readonly TimeSpan ContinuationBlockPause = TimeSpan.FromSeconds(1);

    /// <summary>See <see cref="ContinuationBlockPause"/>. One hand-over per minute has no measurable cost.</summary>
    public static readonly TimeSpan LongestContinuationPause = TimeSpan.FromMinutes(1);

    /// <summary>
    /// How many handlers of notifications run, and clients are notified, at each tick of the clock; the loop receives in between.
    /// </summary>
    public const int NotificationsAtOnce = 64;

    /// <summary>How many clients are notified during each hold of the shard's lock: about 10 us.</summary>
    public const int NotifiedUnderLock = 16;

    /// <summary>
    /// After so much time in a blocking handler of a notification, the next tick continues with the others. Later than
    /// <see cref="HandOverAfter"/>, so the loop has another thread by then.
    /// </summary>
    public static readonly TimeSpan NotificationPatience = TimeSpan.FromMilliseconds(10);

    /// <summary>
    /// How many observer events may wait for slow event handlers; more are dropped and counted. Strangers cause these events, so they must
    /// be limited.
    /// </summary>
    public const int MaxWaitingEvents = 4096;

    /// <summary>Checks a time from options that replaces <see cref="HandOverAfter"/>.</summary>
    /// <param name="value">The time; <see cref="Timeout.InfiniteTimeSpan"/> for never.</param>
    /// <returns>The time.</returns>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The value is less than <see cref="ShortestHandOver"/>, or more than <see cref="LongestHandOver"/>.
    /// </exception>
    public static TimeSpan CheckHandOver(TimeSpan value)
    {
        if (value != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, ShortestHandOver);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, LongestHandOver);
        }

        return value;
    }
}
