namespace CoAP.NET.Tests.Engines;

public sealed class RequestsOnEnginesTests : RequestsOnEngines<EngineList>;

public sealed class UserCodeOnEnginesTests : UserCodeOnEngines<EngineList>;

public sealed class ObservingOnEnginesTests : ObservingOnEngines<EngineList>;

public sealed class LossOnEnginesTests : LossOnEngines<EngineList>;

public sealed class BodiesWithLossTests : BodiesWithLoss<EngineList>;

public sealed class ObserversWithLossTests : ObserversWithLoss<EngineList>;
