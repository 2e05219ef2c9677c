namespace CoAP.NET.Simulation.Faults;

/// <summary>A task scheduler of a user that refuses when a fault is due.</summary>
internal sealed class FaultTasks(FaultInjector injector) : TaskScheduler
{
    protected override void QueueTask(Task task)
    {
        injector.Hit("a task scheduler: QueueTask");
        TryExecuteTask(task);
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => TryExecuteTask(task);

    protected override IEnumerable<Task> GetScheduledTasks() => [];
}
