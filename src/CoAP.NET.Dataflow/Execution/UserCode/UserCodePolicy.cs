namespace CoAP.NET;

/// <summary>
/// Who runs user code where, and every number of it. User code is what the library calls and did not write: handlers, events, option
/// factories, blocks at the seams, what follows an awaited response.
/// </summary>
/// <remarks>
/// <para>
/// The rule: user code runs on the thread that brought it, as long as it is short. A thread that receives loses its role to a stand-by
/// thread when its user code blocks (<see cref="ReceiveLoop"/>, <see cref="ReceiveRole"/>, <see cref="ReceiveWatchdog"/>). A handler that
/// blocks again and again, or is too much work for a busy loop, runs on threads of the library for a while (<see cref="SlowWatch"/>,
/// <see cref="RouteExecutor"/>, <see cref="WorkQueue"/>, <see cref="HandlerThreads"/>). Handlers of notifications follow the same rule. A
/// thread of the shared pool that fires a timer runs no user code: it gives what is due to a thread of the library (<c>ShardClock</c>).
/// What runs where on each engine is a table in docs/architecture.md.
/// </para>
/// <para>
/// Two thread statics are modes of a thread. Only those who receive set them. <see cref="UserCode.Role"/> is the role of the thread: it
/// tells user code from stage code, and leads what is sent during a batch to that batch. <see cref="StageTime"/> is the time of the
/// datagram at hand, which all stages share; user code never sees it. All other thread statics of the library only save work, such as a
/// buffer kept for its next use; a test lists them.
/// </para>
/// </remarks>
internal static class UserCodePolicy
{
    /// <summary>
    /// The default of <c>HandOverAfter</c>: how long user code may hold up what else a loop received. Long enough that a handler usually
    /// keeps its thread while the runtime compiles it; short compared with a round trip in a network that CoAP is made for.
    /// </summary>
    public static readonly TimeSpan HandOverAfter = TimeSpan.FromMilliseconds(4);

    /// <summary>The shortest time that options may ask for. The watchdog looks every 2 ms, so less has no meaning.</summary>
    public static readonly TimeSpan ShortestHandOver = TimeSpan.FromMilliseconds(1);

    /// <summary>The longest time that options may ask for. Larger values are mistakes; "never" is a value of its own.</summary>
    public static readonly TimeSpan LongestHandOver = TimeSpan.FromMinutes(1);

    /// <summary>
    /// How often the watchdog looks at loops in user code, and <see cref="HandlerThreads"/> at its threads. Half of
    /// <see cref="HandOverAfter"/>, so that the role is taken at most 2 ms late. A look costs some microseconds.
    /// </summary>
    public static readonly TimeSpan LookPeriod = TimeSpan.FromMilliseconds(2);

    /// <summary>
    /// How many looks must find the same user code before the role is taken. One is not enough: a pause of the whole process, however
    /// long, is one look.
    /// </summary>
    public const int LooksToHandOver = 2;

    /// <summary>
    /// After how many looks without any progress the watchdog gives its thread back: 0.1 s. A busy server would otherwise start and stop
    /// it with each request, which costs more than to look.
    /// </summary>
    public const int LooksToSleep = 50;

    /// <summary>
    /// In how many of the last 32 looks (64 ms) a loop must be in user code to count as crowded: it has hardly any time for anything else,
    /// so it cannot keep up with what comes.
    /// </summary>
    public const int LooksToBeCrowded = 26;

    /// <summary>With fewer of 32 it is crowded no more. Well below <see cref="LooksToBeCrowded"/>, so that it does not flicker.</summary>
    public const int LooksToStayCrowded = 16;

    /// <summary>
    /// How many turns of a loop share one reading of the clock. A reading costs as much as a stage; 16 turns take some tens of
    /// microseconds, less than the timers of the protocol can tell. A power of two.
    /// </summary>
    public const int TurnsOfOneTime = 16;

    /// <summary>
    /// The pause after a failure that would otherwise repeat at full speed: a socket that cannot be read, a clock whose timer throws. Long
    /// enough to leave the processor to others, short enough to go unnoticed when the failure was the only one.
    /// </summary>
    public static readonly TimeSpan FailurePause = TimeSpan.FromMilliseconds(10);

    /// <summary>
    /// How long answers wait for the end of a batch while its thread is in user code, on asynchronous connections. No stand-by takes over
    /// there, so a timer sends them when a loop would have handed over.
    /// </summary>
    public static readonly TimeSpan LateOutputAfter = HandOverAfter;

    /// <summary>
    /// After how many reads that found data at once an asynchronous connection yields its thread of the pool: a peer that sends faster
    /// than it is read would keep the thread.
    /// </summary>
    public const int ReadsOfConnectionAtOnce = 16;

    /// <summary>
    /// From which duration on a call counts as one that blocked its thread. Above what garbage collections and the system's scheduler
    /// cost, which are no fault of the handler.
    /// </summary>
    public static readonly TimeSpan BlockedFrom = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// The same for a call that lost the receive role: others had to wait, so it counts earlier. Just below
    /// <see cref="HandOverAfter"/>, since garbage collections are subtracted.
    /// </summary>
    public static readonly TimeSpan BlockedFromWhenTaken = TimeSpan.FromMilliseconds(3);

    /// <summary>How many calls that blocked within <see cref="BlocksWithin"/> make a handler slow. One or two may be chance.</summary>
    public const int BlocksToBeSlow = 3;

    /// <summary>See <see cref="BlocksToBeSlow"/>. A handler that blocks less often costs a hand-over now and then.</summary>
    public static readonly TimeSpan BlocksWithin = TimeSpan.FromMinutes(1);

    /// <summary>
    /// How long a slow handler stays on threads of the library, unless it proves quick there (<see cref="CallsToComeBack"/>). What made it
    /// slow, such as a database, rarely recovers sooner, and each attempt costs <see cref="BlocksToBeSlow"/> hand-overs.
    /// </summary>
    public static readonly TimeSpan SlowFor = TimeSpan.FromMinutes(5);

    /// <summary>
    /// After how many calls on threads of the library a handler is judged anew: of so many, what the runtime compiles and what the system
    /// does with the processor is few.
    /// </summary>
    public const int CallsToComeBack = 1024;

    /// <summary>
    /// With at most so many calls of <see cref="CallsToComeBack"/> that blocked a handler is slow no more: it costs a hand-over now and
    /// then. About as rare as <see cref="CallsToBeQuick"/> has it.
    /// </summary>
    public const int BlocksToComeBack = 1;

    /// <summary>With at least so many cheap calls of <see cref="CallsToComeBack"/> a handler is costly no more.</summary>
    public const int CheapCallsToComeBack = CallsToComeBack - (CallsToComeBack / 8);

    /// <summary>How many first calls of a handler are not judged: the runtime compiles it during these.</summary>
    public const int FirstCalls = 3;

    /// <summary>
    /// Among more calls than this, <see cref="BlocksToBeSlow"/> that blocked are not the handler's fault: a thousand quick calls for each
    /// say that the system kept the thread off its processor.
    /// </summary>
    public const int CallsToBeQuick = 3000;

    /// <summary>
    /// Quick calls are counted in steps of this size, by every 16th call of a thread: processors that all write one number with each call
    /// slow each other down.
    /// </summary>
    public const int QuickCallsAtOnce = 16;

    /// <summary>
    /// From which duration on a call is worth moving to another thread, which costs some microseconds. Asked only while a loop is crowded.
    /// </summary>
    public static readonly TimeSpan CostlyFrom = TimeSpan.FromMicroseconds(50);

    /// <summary>How many costly calls in a row make a handler costly; fewer may be chance.</summary>
    public const int CallsToBeCostly = 8;

    /// <summary>
    /// How long after the last request had to wait for a costly handler it returns to receiving threads. Short, since a queue in which
    /// nobody waits is a detour for nothing.
    /// </summary>
    public static readonly TimeSpan CostlyFor = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How many requests of one slow route run at a time. Handlers that block need a thread each; beyond this, more threads would not help
    /// whatever they wait for.
    /// </summary>
    public const int SlowParallelism = 256;

    /// <summary>
    /// How many threads the slow handlers of one endpoint may take together. Well below <see cref="MaxThreads"/>, so that the loops that
    /// receive always find one.
    /// </summary>
    public const int MaxSlowThreads = 1024;

    /// <summary>
    /// How many requests of one costly route run at a time. They compute, so more threads than processors would only take time from the
    /// threads that receive.
    /// </summary>
    public static readonly int CostlyParallelism = Environment.ProcessorCount;

    /// <summary>
    /// About how long a request may wait for a slow or costly handler before it is answered 5.03. The response then still fits on the
    /// acknowledgement, and no peer retransmits meanwhile (ACK_TIMEOUT is 2 s, RFC 7252 section 4.8).
    /// </summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromMilliseconds(250);

    /// <summary>
    /// How many times as long a request may wait that ends something under way, such as the last block of a body: refusing it wastes what
    /// came before. Bounded all the same, as strangers can begin many.
    /// </summary>
    public const int WaitsOfContinuations = 2;

    /// <summary>
    /// Over how many of the last requests the pace of a queue is averaged at least, beside those of <see cref="LongestWait"/>: enough to be
    /// steady where each takes long.
    /// </summary>
    public const int PaceWeight = 8;

    /// <summary>
    /// How many handlers may compute at a time on threads of the library. Half of the processors, at least one; the rest is for the
    /// threads that receive.
    /// </summary>
    public static readonly int ComputingThreads = Math.Max(1, Environment.ProcessorCount / 2);

    /// <summary>
    /// How many computing threads above <see cref="ComputingThreads"/> one look counts before it stops. Each thread costs a question to
    /// the system; the next look finds the others.
    /// </summary>
    public const int SurplusAtOnce = 8;

    /// <summary>
    /// Where all threads wait, their number grows by one part in this many at each look: it soon reaches what is needed, and not far
    /// beyond if the new ones compute.
    /// </summary>
    public const int GrowthPart = 2;

    /// <summary>
    /// From how many threads of the pool in user code on asynchronous connections run their frames on threads of the library. With as many
    /// as processors some of them must be waiting, and more might, until none is left to read.
    /// </summary>
    public static readonly int PoolThreadsInUserCode = Environment.ProcessorCount;

    /// <summary>
    /// How many threads of the library there are at most. Work beyond it is refused and never queued. A process that needs more threads
    /// than this has another problem.
    /// </summary>
    public const int MaxThreads = 4096;

    /// <summary>How long an idle thread of the library waits for work before it ends. Starting one takes about 0.1 ms.</summary>
    public static readonly TimeSpan IdleThreadFor = TimeSpan.FromMinutes(1);

    /// <summary>
    /// From which average duration on the code after an awaited response is work that other processors should share (decision 0008).
    /// </summary>
    public static readonly TimeSpan ContinuationIsWorkFrom = TimeSpan.FromMicroseconds(50);

    /// <summary>One in how many continuations is measured. Two readings of the clock cost as much as a short one. A power of two.</summary>
    public const int ContinuationSamplePeriod = 16;

    /// <summary>How many measured continuations are averaged: a decision each 256 continuations.</summary>
    public const int ContinuationSamples = 16;

    /// <summary>
    /// How many times the limit one measured continuation counts at most, so that a single one which the runtime compiled does not decide.
    /// </summary>
    public const int ContinuationOutlier = 2;

    /// <summary>How long continuations that proved to be work go to the thread pool.</summary>
    public static readonly TimeSpan ContinuationWorkPause = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long continuations go to the thread pool after one blocked its thread. Doubled each time that it happens again soon, up to
    /// <see cref="LongestContinuationPause"/>.
    /// </summary>
    public static readonly TimeSpan ContinuationBlockPause = TimeSpan.FromSeconds(1);

    /// <summary>See <see cref="ContinuationBlockPause"/>. One hand-over a minute costs nothing that could be measured.</summary>
    public static readonly TimeSpan LongestContinuationPause = TimeSpan.FromMinutes(1);

    /// <summary>
    /// How many handlers of notifications are run and clients notified at each tick of the clock; the loop receives in between.
    /// </summary>
    public const int NotificationsAtOnce = 64;

    /// <summary>How many clients are notified each time that the lock of the shard is held: about 10 us.</summary>
    public const int NotifiedUnderLock = 16;

    /// <summary>
    /// When the handler of a notification blocks, after what time the next tick continues with the others. Later than
    /// <see cref="HandOverAfter"/>, so that the loop has another thread by then.
    /// </summary>
    public static readonly TimeSpan NotificationPatience = TimeSpan.FromMilliseconds(10);

    /// <summary>
    /// How many events of observers may wait for event handlers that are too slow; more are dropped and counted. Strangers cause these
    /// events, so they must be bounded.
    /// </summary>
    public const int MaxWaitingEvents = 4096;

    /// <summary>Checks a time that options ask for in place of <see cref="HandOverAfter"/>.</summary>
    /// <param name="value">The time; <see cref="Timeout.InfiniteTimeSpan"/> for never.</param>
    /// <returns>The time.</returns>
    /// <exception cref="ArgumentOutOfRangeException">
    /// Less than <see cref="ShortestHandOver"/>, or more than <see cref="LongestHandOver"/>.
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
