using CoAP.NET.Cli;

return await CommandProgram.RunAsync("coap", args, CoapTool.CreateRoot);
